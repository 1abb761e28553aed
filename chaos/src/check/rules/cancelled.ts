import type { Case, TaskCase } from '../case.ts';
import { of } from '../case.ts';
import { memberOf } from '../disturbances.ts';
import type { Finding } from '../evidence.ts';

const SIGNAL_MS = 1_000;
/** For a machine that others use too. */
const SLACK_MS = 1_000;

/** P9: what is cancelled stays cancelled, and its handler hears of it within a second. */
export function* cancelled(known: Case): Generator<Finding> {
  for (const task of known.tasks.values()) {
    for (const says of [...stays(task), ...signalled(task, known)]) yield { promise: 'P9', task: task.id, says };
  }
  for (const { task, word, state } of of(known.evidence.history, 'cancel answered')) {
    const held = known.tasks.get(task);
    if (word !== 'final' || state !== 'completed' || (held?.mostCompletions ?? 1) > 1) continue;
    if (held?.final?.view.state !== 'completed')
      yield { promise: 'P9', task, says: 'a cancel was answered "completed" and it no longer is' };
  }
}

function* stays({ cancels, runs, final, replay, mostCompletions }: TaskCase): Generator<string> {
  const answered = cancels.find(({ word }) => word === 'cancelled');
  if (answered === undefined && (replay?.cancelledAt ?? null) === null) return;
  if (final?.view.state !== 'cancelled') yield `it was cancelled and is ${final?.view.state ?? 'gone'}`;
  for (const { fence, told } of runs) {
    if (told?.outcome === 'completed' && mostCompletions === 1) yield `it was cancelled and the result of run ${fence} was accepted`;
  }
  const claimedAfter = replay?.runs.find(({ claimedAt }) => replay.cancelledAt !== null && claimedAt > replay.cancelledAt);
  if (claimedAfter !== undefined) yield `it was cancelled and run ${claimedAfter.fence} was claimed afterwards`;
}

function* signalled({ cancels, runs }: TaskCase, { evidence, disturbances }: Case): Generator<string> {
  const bound = SIGNAL_MS + evidence.setting.abortGraceMs + SLACK_MS;
  for (const { at, word } of cancels) {
    if (word !== 'cancelled') continue;
    for (const { fence, by, started, aborted, ended, told } of runs) {
      if (started === null || started.at > at) continue;
      const heard = Math.min(...[aborted, ended, told, disturbances.endOf(by)].map((event) => event?.at ?? Number.POSITIVE_INFINITY));
      if (heard <= at + bound || !disturbances.wasWell(memberOf(by), at - SIGNAL_MS, at + bound)) continue;
      yield `it was cancelled and run ${fence} at ${by} heard nothing for ${heard - at} ms`;
    }
  }
}
