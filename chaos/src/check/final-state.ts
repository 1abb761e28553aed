import { type Connection, Inspector, type ListIndex, type QueueLayout, type TaskView, type TimelineEntry } from '@galley/core';
import { readLocks, type SeenLock } from '../faults/lock-sampler.ts';

const PLACES = ['pending', 'processing', 'due', 'dead', 'finished'] as const;
export type Place = (typeof PLACES)[number];
const PAGE = 200;

/** A task as it stands in Redis when all is over. */
export interface FinalTask {
  readonly view: TaskView;
  readonly timeline: readonly TimelineEntry[];
  /** The result as its worker wrote it; null where none is held. */
  readonly result: string | null;
  /** The sorted sets that name it. */
  readonly places: readonly Place[];
}

/** What Redis holds when all is over, read through the public inspector alone, and the lock keys that are left. */
export interface FinalState {
  readonly tasks: ReadonlyMap<string, FinalTask>;
  readonly counts: Readonly<Record<string, number>>;
  readonly totals: Readonly<Record<string, number>>;
  readonly locks: readonly SeenLock[];
}

async function idsOf(inspector: Inspector, kind: Place): Promise<string[]> {
  const index: ListIndex = { kind };
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await inspector.list({ index, order: 'oldest', limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.tasks.map((task) => task.id));
    cursor = page.nextCursor;
  }
  return ids;
}

/** `known`: ids that somebody was told of, looked for whether a list names them or not. */
export async function readFinalState(connection: Connection, layout: QueueLayout, known: readonly string[]): Promise<FinalState> {
  const inspector = new Inspector(connection, layout);
  const places = new Map<string, Place[]>();
  for (const place of PLACES) for (const id of await idsOf(inspector, place)) places.set(id, [...(places.get(id) ?? []), place]);
  const tasks = new Map<string, FinalTask>();
  const read = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const views = await inspector.getMany(page);
      for (const view of views) if (view !== null) tasks.set(view.id, await readTask(inspector, view, places.get(view.id) ?? []));
    }
  };
  await read([...new Set([...places.keys(), ...known])]);
  // Children that have ended stand in no list: their parents know them.
  const parents = Array.from(tasks.values(), ({ view }) => view).filter((view) => view.children !== null);
  for (const view of parents) {
    if (view.children === null) continue;
    const children = await inspector.children(view.id, 1, view.children.total);
    await read(children.flatMap((child) => (child === null || tasks.has(child.id) ? [] : [child.id])));
  }
  const [counts, totals, locks] = [await inspector.counts(), await inspector.totals(), await readLocks(connection)];
  return { tasks, counts, totals, locks };
}

async function readTask(inspector: Inspector, view: TaskView, places: readonly Place[]): Promise<FinalTask> {
  const [timeline, held] = await Promise.all([inspector.events(view.id), inspector.result(view.id)]);
  return { view, timeline, result: held?.value ?? null, places };
}
