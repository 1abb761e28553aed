import { type Case, isChild, type TaskCase } from '../case.ts';
import type { Finding } from '../evidence.ts';

interface Waiting {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly priority: number;
}

interface Claim {
  readonly id: string;
  readonly at: number;
  readonly fence: number;
  readonly priority: number;
}

/**
 * P3: a shard gives its best task, by priority and then by id, wherever the tasks in its line have come from. Decided where a
 * task was in line for certain, from a millisecond before the claim of a worse one until a millisecond after it.
 */
export function* samePlace(known: Case): Generator<Finding> {
  const byShard = new Map<string, TaskCase[]>();
  for (const task of known.tasks.values()) {
    const shard = task.final?.view.shard;
    if (shard === undefined || task.replay === null || !isDecidable(task, known)) continue;
    byShard.set(shard, [...(byShard.get(shard) ?? []), task]);
  }
  for (const tasks of byShard.values()) yield* overtaken(waits(tasks), claims(tasks));
}

/** A child moves with its parent, and its own timeline does not say when. */
function isDecidable(task: TaskCase, { tasks }: Case): boolean {
  if (!isChild(task.id)) return true;
  const parent = tasks.get(task.id.slice(0, task.id.indexOf('.')));
  return parent?.replay?.movedAt.length === 0;
}

function waits(tasks: readonly TaskCase[]): Waiting[] {
  return tasks.flatMap(({ id, replay }) => (replay?.stays ?? []).map((stay) => ({ id, ...stay })));
}

/** A task is claimed at the end of a stay in line, at that stay's priority. */
function claims(tasks: readonly TaskCase[]): Claim[] {
  return tasks.flatMap(({ id, replay }) =>
    (replay?.runs ?? []).flatMap((run) => {
      const stay = replay?.stays.find(({ to }) => to === run.claimedAt);
      const moved = replay?.movedAt.includes(run.claimedAt) ?? false;
      return stay === undefined || moved ? [] : [{ id, at: run.claimedAt, fence: run.fence, priority: stay.priority }];
    }),
  );
}

function* overtaken(waiting: readonly Waiting[], claimed: readonly Claim[]): Generator<Finding> {
  for (const claim of claimed) {
    const better = waiting.find(
      ({ id, from, to, priority }) =>
        from < claim.at &&
        to > claim.at &&
        id !== claim.id &&
        (priority < claim.priority || (priority === claim.priority && id < claim.id)),
    );
    if (better === undefined) continue;
    const says = `run ${claim.fence} of priority ${claim.priority} was claimed while ${better.id} of priority ${better.priority} was ahead of it in line`;
    yield { promise: 'P3', task: claim.id, says };
  }
}
