import { workResultSchema } from '../../work/work.ts';
import type { Case, SeenRun, TaskCase } from '../case.ts';
import type { Finding } from '../evidence.ts';

/** P2: at most one result is accepted, it is the one that is stored, and every run has a fence of its own, higher than the last. */
export function* oneResult(known: Case): Generator<Finding> {
  for (const task of known.tasks.values()) {
    for (const says of [...fences(task, known), ...accepted(task), ...stored(task), ...overlaps(task, known)]) {
      yield { promise: 'P2', task: task.id, says };
    }
  }
}

function* fences({ runs, replay }: TaskCase, { workerIds }: Case): Generator<string> {
  const begun = runs.filter((run) => run.started !== null);
  const seen = new Map<number, SeenRun>();
  for (const run of begun) {
    const other = seen.get(run.fence);
    if (other !== undefined) yield `run ${run.fence} began at ${other.by} and at ${run.by}`;
    seen.set(run.fence, run);
  }
  if (replay === null) return;
  for (const run of begun) {
    const claim = replay.runs.find(({ fence }) => fence === run.fence);
    if (claim === undefined) yield `run ${run.fence} began at ${run.by} and nobody had claimed it`;
    else if (claim.worker !== workerIds.get(run.by)) yield `run ${run.fence} began at ${run.by} and was claimed by ${claim.worker}`;
  }
}

function* accepted({ runs, replay, final, mostCompletions }: TaskCase): Generator<string> {
  const told = runs.filter((run) => run.told?.outcome === 'completed').map(({ fence }) => fence);
  const completions = [...new Set([...told, ...(replay?.completions ?? []).map(({ fence }) => fence)])].sort((a, b) => a - b);
  if (completions.length > mostCompletions) yield `the results of runs ${completions.join(', ')} were accepted`;
  const last = completions.at(-1);
  if (final?.view.state === 'completed' && last !== undefined && last !== final.view.fence)
    yield `the result of run ${last} was accepted and the record is of run ${final.view.fence}`;
  for (const fence of completions) {
    const ended = runs.find((run) => run.fence === fence)?.ended;
    if (ended?.how !== 'returned') yield `the result of run ${fence} was accepted and that run ${ended?.how ?? 'never ended'}`;
  }
}

/** What is stored is what the accepted run returned. */
function* stored({ runs, final }: TaskCase): Generator<string> {
  if (final === null) return;
  if (final.view.state !== 'completed') {
    if (final.result !== null) yield `it is ${final.view.state} and holds a result`;
    return;
  }
  if (final.result === null) {
    yield 'it is completed and holds no result';
    return;
  }
  const result = workResultSchema.safeParse(JSON.parse(final.result));
  if (!result.success) {
    yield `its result is not what a handler returned: ${final.result}`;
    return;
  }
  const { fence, by } = result.data;
  if (fence !== final.view.fence) yield `the result of run ${fence} is stored and the record is of run ${final.view.fence}`;
  const run = runs.find((seen) => seen.fence === fence && seen.by === by);
  if (run?.ended?.how !== 'returned') yield `a result is stored of run ${fence} at ${by}, which returned none`;
  const refused = run?.told?.outcome;
  if (refused !== undefined && refused !== 'completed' && refused !== 'unreported')
    yield `run ${fence} was told ${refused} and its result is stored`;
}

/** Nobody is given a task while another's lease on it holds; times are Redis's own. */
function* overlaps({ runs, replay, final }: TaskCase, { evidence }: Case): Generator<string> {
  if (replay === null) return;
  const { leaseMs } = evidence.setting;
  for (const fault of replay.faults) yield `its timeline contradicts itself: ${fault}`;
  if (final !== null && replay.place !== final.view.state) yield `its timeline ends in ${replay.place} and it is ${final.view.state}`;
  for (const [index, run] of replay.runs.entries()) {
    if (run.reapedAt !== null && run.reapedAt < run.grantedAt + leaseMs)
      yield `run ${run.fence} was reaped ${run.grantedAt + leaseMs - run.reapedAt} ms before its lease ran out`;
    const next = replay.runs[index + 1];
    if (next !== undefined && run.endedAt === null) yield `run ${next.fence} was claimed while the lease of run ${run.fence} held`;
  }
  // By the handlers' own word: two at once are allowed only where the first had lost its lease before the second was claimed.
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    if (run.ended === null || next === undefined || next.started === null || next.started.at >= run.ended.at) continue;
    const first = replay.runs.find(({ fence }) => fence === run.fence);
    if (first?.endedBy === 'reaped' || first?.endedBy === 'revived') continue;
    yield `runs ${run.fence} at ${run.by} and ${next.fence} at ${next.by} were under way at once though no lease had been lost`;
  }
}
