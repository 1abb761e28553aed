import { CALLBACK_QUEUE, DOCUMENT_TAGS, DOCUMENT_TASK, GalleyError, type TaskListQuery, type TaskState } from '@galley/contract';
import { type ListIndex, parseTaskId, stateCounts, type TaskView } from '@galley/core';
import type { ServedQueue } from '../queue/queues.ts';
import { ownerOf, payloadFacts } from './task-answer.ts';

/** Filters of the list and of bulk actions. */
export type TaskFilter = Omit<TaskListQuery, 'order' | 'cursor' | 'limit'>;

interface Walked {
  readonly views: TaskView[];
  readonly nextCursor: string | null;
}

export interface TaskListPage extends Walked {
  readonly total: number | null;
}

const DEFAULT_LIMIT = 50;
/** Rounds of 4,000 entries that one call walks in search of matches. */
const ROUNDS = 5;
/** States held in an index of their own are listed from it while they are this few. */
const FEW = 1_000;

const OWN_INDEX: Partial<Record<TaskState, 'pending' | 'processing' | 'due' | 'dead'>> = {
  pending: 'pending',
  processing: 'processing',
  scheduled: 'due',
  retrying: 'due',
  dead_letter: 'dead',
};

/** Whether a task passes every filter. `q`: the beginning of an id, a file name or a user. */
export function matcherOf(filter: TaskFilter): (view: TaskView) => boolean {
  const type = filter.type ?? DOCUMENT_TASK;
  const since = filter.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(filter.since);
  const until = filter.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(filter.until);
  const words = filter.q?.trim().toLowerCase() ?? '';
  return (view) => {
    if (view.header.type !== type || view.createdAt < since || view.createdAt > until) return false;
    if (filter.status !== undefined && !filter.status.includes(view.state)) return false;
    if (filter.priority !== undefined && view.priority !== filter.priority) return false;
    if (filter.user_id !== undefined && ownerOf(view) !== filter.user_id) return false;
    if (filter.engine === undefined && words === '') return true;
    const facts = payloadFacts(view);
    if (filter.engine !== undefined && facts.engine !== filter.engine) return false;
    return words === '' || [view.id, facts.filename, ownerOf(view)].some((text) => text?.toLowerCase().startsWith(words) === true);
  };
}

function isNarrowed(filter: TaskFilter): boolean {
  return [filter.priority, filter.engine, filter.since, filter.until, filter.q || undefined].some((value) => value !== undefined);
}

/** The index by submit time that holds all that a filter can match. */
function tagIndex(filter: TaskFilter): ListIndex {
  return filter.user_id === undefined
    ? { kind: 'tag', tag: DOCUMENT_TAGS.type, value: DOCUMENT_TASK }
    : { kind: 'tag', tag: DOCUMENT_TAGS.user, value: filter.user_id };
}

/** Exact for states, one user or neither; null otherwise (DESIGN §6). */
async function totalOf({ inspector, queue }: ServedQueue, filter: TaskFilter): Promise<number | null> {
  if (isNarrowed(filter)) return null;
  // States are counted for all tasks that are no children, which are documents everywhere but there.
  if (queue.name === CALLBACK_QUEUE) return 0;
  if (filter.status === undefined) return inspector.count(tagIndex(filter));
  if (filter.user_id !== undefined) return null;
  const counts = await inspector.counts();
  const [all, children] = [stateCounts(counts), stateCounts(counts, 'child:')];
  return [...new Set(filter.status)].reduce((sum, state) => sum + all[state] - children[state], 0);
}

/** A place in the list by submit time, in the form of core's cursors, so that both ways of listing understand each other's. */
function placeOf(view: TaskView): string {
  return Buffer.from(JSON.stringify([view.createdAt, view.id])).toString('base64url');
}

function isAfter(view: TaskView, cursor: string, order: 'newest' | 'oldest'): boolean {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    place = null;
  }
  if (!Array.isArray(place) || typeof place[0] !== 'number' || typeof place[1] !== 'string') {
    throw new GalleyError('invalid_request', 'the cursor is not one of this list: start again without it');
  }
  const [score, id] = [place[0], place[1]];
  if (view.createdAt !== score) return order === 'newest' ? view.createdAt < score : view.createdAt > score;
  return order === 'newest' ? view.id < id : view.id > id;
}

/** The index that holds just the one state asked for; null where there is none. */
function ownIndexOf(query: TaskListQuery): ListIndex | null {
  const [state] = query.status ?? [];
  const kind = query.status?.length === 1 && state !== undefined ? OWN_INDEX[state] : undefined;
  return kind === undefined ? null : { kind };
}

/** The few tasks of one state out of its own index, put in order of submission. */
async function listFew(served: ServedQueue, query: TaskListQuery, index: ListIndex, accepts: (view: TaskView) => boolean): Promise<Walked> {
  const order = query.order ?? 'newest';
  const { tasks } = await served.inspector.list({ index, order: 'oldest', limit: FEW, accepts });
  const { cursor } = query;
  const sorted = tasks
    .filter((view) => cursor === undefined || isAfter(view, cursor, order))
    .sort((a, b) => (a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)) * (order === 'newest' ? -1 : 1));
  const views = sorted.slice(0, query.limit ?? DEFAULT_LIMIT);
  const last = views.at(-1);
  return { views, nextCursor: sorted.length > views.length && last !== undefined ? placeOf(last) : null };
}

/** Walks an index in its own order, as far as a page of matches or a bounded number of entries. */
async function walk(served: ServedQueue, query: TaskListQuery, index: ListIndex, accepts: (view: TaskView) => boolean): Promise<Walked> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const views: TaskView[] = [];
  let { cursor } = query;
  for (let round = 1; ; round++) {
    const page = await served.inspector.list({
      index,
      order: query.order ?? 'newest',
      limit: limit - views.length,
      accepts,
      ...(cursor === undefined ? {} : { cursor }),
    });
    views.push(...page.tasks);
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined || views.length >= limit || round >= ROUNDS) return { views, nextCursor: page.nextCursor };
  }
}

/**
 * One page of tasks that pass the filter, by submit time; many page tasks of one state, which no index holds by submit time, in the
 * order of that state.
 * @throws GalleyError `invalid_request` for page tasks without one state, since they are in no index at all
 */
export async function listTaskViews(
  served: ServedQueue,
  query: TaskListQuery,
  alsoAccepts: (view: TaskView) => boolean = () => true,
): Promise<TaskListPage> {
  const matches = matcherOf(query);
  const accepts = (view: TaskView): boolean => matches(view) && alsoAccepts(view);
  const isDocument = (query.type ?? DOCUMENT_TASK) === DOCUMENT_TASK;
  const asked = parseTaskId(query.q?.trim() ?? '');
  if (asked !== null) {
    // A whole id needs no search, however old it is.
    const view = await served.inspector.get(asked.id);
    return { views: view !== null && accepts(view) ? [view] : [], nextCursor: null, total: null };
  }
  const total = isDocument ? await totalOf(served, query) : null;
  const own = ownIndexOf(query);
  if (own !== null && (await served.inspector.count(own)) <= FEW) return { ...(await listFew(served, query, own, accepts)), total };
  if (isDocument) return { ...(await walk(served, query, tagIndex(query), accepts)), total };
  if (own !== null) return { ...(await walk(served, query, own, accepts)), total };
  throw new GalleyError(
    'invalid_request',
    `tasks of type ${query.type ?? ''} are listed by one status of ${Object.keys(OWN_INDEX).join(', ')}`,
  );
}
