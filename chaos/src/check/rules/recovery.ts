import type { Case, TaskCase } from '../case.ts';
import type { Finding } from '../evidence.ts';
import type { ReplayRun } from '../replay.ts';

/** For the round trip of a reaper's pass, and for a machine that others use too. */
const SLACK_MS = 1_000;

/** P5: a lost task is back in line within its lease and one reaper period, and only what its holder lost counts as a crash. */
export function* recovery(known: Case): Generator<Finding> {
  for (const task of known.tasks.values()) {
    for (const run of task.replay?.runs ?? []) {
      for (const says of [...late(run, known), ...unjust(task, run, known)]) yield { promise: 'P5', task: task.id, says };
    }
  }
}

/** A lease that was never reaped though it ran out shows as a task that has not ended (P1). */
function* late(run: ReplayRun, { evidence, disturbances }: Case): Generator<string> {
  if (run.reapedAt === null) return;
  const { leaseMs, reaperMs } = evidence.setting;
  const expiry = run.grantedAt + leaseMs;
  const bound = expiry + reaperMs + SLACK_MS;
  if (run.reapedAt <= bound) return;
  // Somebody who could have done it in time, and did not.
  const idle = disturbances.reapers.find((member) => disturbances.wasWell(member, expiry - 2 * reaperMs, bound));
  if (idle !== undefined)
    yield `run ${run.fence} was reaped ${run.reapedAt - expiry} ms after its lease had run out, though ${idle} was well`;
}

/** Expiries that came of Redis being away, or of a stop in order, count no crash. */
function* unjust({ runs }: TaskCase, run: ReplayRun, { disturbances, workerIds }: Case): Generator<string> {
  if (run.reapedAt === null || !run.crashCounted) return;
  const by = runs.find(({ fence }) => fence === run.fence)?.by ?? [...workerIds].find(([, worker]) => worker === run.worker)?.[0];
  if (by === undefined) {
    yield `run ${run.fence} counted as a crash of ${run.worker}, whom nobody knows`;
    return;
  }
  if (disturbances.holderWasHurt(by, run.grantedAt, run.reapedAt)) return;
  const left = disturbances.endOf(by)?.code === 0 && disturbances.redis.touch(run.grantedAt, run.reapedAt);
  if (!left) yield `run ${run.fence} counted as a crash of ${by}, to which nothing had happened`;
}
