import {
  isFinal,
  PRIORITY_MAX,
  PRIORITY_MIN,
  REQUEST_ENGINES,
  type RequestEngine,
  TASK_STATES,
  type Task,
  type TaskAction,
  type TaskState,
  userIdSchema,
} from '@galley/contract';
import type { TaskListFilter } from '../../api/index.ts';
import type { QueryFields } from '../../routing/index.ts';

const MINUTE = 60_000;
/** Spans a person may choose; `over`: older than that, instead of younger. */
export const AGES = {
  '15m': { ms: 15 * MINUTE, over: false },
  '1h': { ms: 60 * MINUTE, over: false },
  '24h': { ms: 24 * 60 * MINUTE, over: false },
  '7d': { ms: 7 * 24 * 60 * MINUTE, over: false },
  'over-1h': { ms: 60 * MINUTE, over: true },
  'over-24h': { ms: 24 * 60 * MINUTE, over: true },
} as const;
export type Age = keyof typeof AGES;
export const AGE_NAMES = Object.keys(AGES).filter((name): name is Age => Object.hasOwn(AGES, name));

export interface TaskFilter {
  /** Empty: every state. */
  readonly states: readonly TaskState[];
  readonly priority: number | null;
  readonly user: string | null;
  readonly engine: RequestEngine | null;
  readonly age: Age | null;
  /** Exact bounds, as other pages link to them. */
  readonly since: string | null;
  readonly until: string | null;
  readonly q: string;
  readonly order: 'newest' | 'oldest';
}

export const NO_FILTER: TaskFilter = {
  states: [],
  priority: null,
  user: null,
  engine: null,
  age: null,
  since: null,
  until: null,
  q: '',
  order: 'newest',
};

const PRESET_NUMBERS: Readonly<Record<string, number>> = { urgent: 1, high: 10, normal: 100, bulk: 1000 };

function priorityOf(text: string | null): number | null {
  const value = text === null ? Number.NaN : (PRESET_NUMBERS[text] ?? Number(text));
  return Number.isInteger(value) && value >= PRIORITY_MIN && value <= PRIORITY_MAX ? value : null;
}

function timeOf(text: string | null): string | null {
  return text !== null && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : null;
}

/** The filter that an address names; what is nonsense in it is left out. */
export function parseFilter(query: URLSearchParams): TaskFilter {
  const named = (query.get('status') ?? '').split(',');
  const user = userIdSchema.safeParse(query.get('user_id'));
  return {
    states: TASK_STATES.filter((state) => named.includes(state)),
    priority: priorityOf(query.get('priority')),
    user: user.success ? user.data : null,
    engine: REQUEST_ENGINES.find((engine) => engine === query.get('engine')) ?? null,
    age: AGE_NAMES.find((age) => age === query.get('age')) ?? null,
    since: timeOf(query.get('since')),
    until: timeOf(query.get('until')),
    q: (query.get('q') ?? '').slice(0, 200),
    order: query.get('order') === 'oldest' ? 'oldest' : 'newest',
  };
}

/** The filter as the query of an address; a whole filter of states says nothing and is left out. */
export function filterFields(filter: TaskFilter): QueryFields {
  const { states, priority, user, engine, age, since, until, q, order } = filter;
  return {
    status: states.length === 0 || states.length === TASK_STATES.length ? undefined : states,
    priority: priority === null ? undefined : String(priority),
    user_id: user ?? undefined,
    engine: engine ?? undefined,
    age: age ?? undefined,
    since: since ?? undefined,
    until: until ?? undefined,
    q: q === '' ? undefined : q,
    order: order === 'oldest' ? order : undefined,
  };
}

/** How many things are filtered by; the order is none. */
export function isFiltered(filter: TaskFilter): boolean {
  return Object.entries(filterFields(filter)).some(([key, value]) => key !== 'order' && value !== undefined);
}

interface Bounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function boundsOf({ age, since, until }: TaskFilter, now: number): Bounds {
  if (age === null) return { since: since ?? undefined, until: until ?? undefined };
  const { ms, over } = AGES[age];
  const edge = new Date(now - ms).toISOString();
  return over ? { since: since ?? undefined, until: edge } : { since: edge, until: until ?? undefined };
}

/** The filter as `GET /tasks` takes it. `now`: the server's time, ms. */
export function listFilter(filter: TaskFilter, queue: string, now: number): TaskListFilter {
  const { states, priority, user, engine, q, order } = filter;
  return {
    queue,
    status: states.length === 0 ? undefined : states,
    priority: priority ?? undefined,
    user_id: user ?? undefined,
    engine: engine ?? undefined,
    q: q.trim() === '' ? undefined : q.trim(),
    order,
    ...boundsOf(filter, now),
  };
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The filter of a bulk action over everything that matches. */
export function actionFilter(filter: TaskFilter, queue: string, now: number): TaskAction['filter'] {
  const { states, priority, user, engine, q } = filter;
  return defined({
    queue,
    type: 'document',
    status: states.length === 0 ? undefined : [...states],
    priority: priority ?? undefined,
    user_id: user ?? undefined,
    engine: engine ?? undefined,
    q: q.trim() === '' ? undefined : q.trim(),
    ...boundsOf(filter, now),
  });
}

/** Whether a task as it is now still belongs to the list. Its name and its age cannot have changed. */
export function stillMatches(filter: TaskFilter, task: Task): boolean {
  return (
    (filter.states.length === 0 || filter.states.includes(task.status)) && (filter.priority === null || task.priority === filter.priority)
  );
}

export type BulkAction = 'cancel' | 'retry' | 'reprioritize';

/** Whether an action does anything to a task in this state. */
export function allows(action: BulkAction, state: TaskState): boolean {
  if (action === 'retry') return state === 'dead_letter';
  if (action === 'cancel') return !isFinal(state);
  return !isFinal(state) && state !== 'processing';
}
