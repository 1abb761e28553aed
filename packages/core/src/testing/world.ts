import type { TaskState } from '@galley/contract';
import type { ShardLayout } from '../queue/layout.ts';
import type { RedisClient } from '../redis/connection.ts';
import { recordsKey } from '../redis/keys.ts';
import { messageField, parseTaskId } from '../rules/ids.ts';
import { decodeRecord, RECORD_FLAGS, type TaskRecord } from '../rules/record.ts';
import { keysLike } from './all-nodes.ts';

/** Everything of one shard that a verb may change, in a form that two states can be compared in. */
export interface ShardWorld {
  readonly pending: Record<string, number>;
  /** Task id → lease expiry, ms of Redis's clock. */
  readonly leases: Record<string, number>;
  readonly processing: string[];
  readonly due: Record<string, number>;
  readonly dead: string[];
  readonly finished: string[];
  readonly locks: Record<string, string>;
  readonly records: Record<string, TaskRecord>;
  readonly messages: Record<string, string>;
  /** Task id → its error lines' codes, oldest first, by spaces. */
  readonly errors: Record<string, string>;
  readonly results: Record<string, string>;
  /** Dedup identity → task id. */
  readonly identities: Record<string, string>;
  /** `<kind>:<value>` → task ids. */
  readonly tags: Record<string, string[]>;
  /** Parent id → its children's counts. */
  readonly children: Record<string, Record<string, number>>;
  readonly events: Record<string, string[]>;
  readonly paused: boolean;
  /** Counts other than 0. */
  readonly counts: Record<string, number>;
  /** Pending tasks by priority band, as counted. Derived, so `differences` passes it over and the invariants check it. */
  readonly bands: Record<string, number>;
  /** Pending tasks that a gate holds back, by score. */
  readonly parked: Record<string, number>;
  readonly totals: Record<string, number>;
}

type Table<Value> = Record<string, Value>;

function errorCodes(lines: string): string {
  return lines
    .split('\n')
    .map((line) => /"code":"([^"]*)"/.exec(line)?.[1] ?? '?')
    .join(' ');
}

function numbers(fields: Readonly<Table<string>>): Table<number> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => (Number(value) === 0 ? [] : [[field, Number(value)] as const])),
  );
}

/** Reads the whole state of one shard. Finds keys by KEYS: for tests alone. */
export async function readWorld(client: RedisClient, shard: ShardLayout): Promise<ShardWorld> {
  const { keys } = shard;
  const all = (await keysLike(client, `*${keys.base.slice('galley:'.length)}*`)).sort();
  const own = (prefix: string): string[] => all.filter((key) => key.startsWith(prefix));
  const table = async <Value>(prefix: string, read: (key: string) => Promise<Value>): Promise<Table<Value>> =>
    Object.fromEntries(await Promise.all(own(prefix).map(async (key) => [key.slice(prefix.length), await read(key)] as const)));
  const scores = async (key: string): Promise<Table<number>> => {
    const flat = await client.zrange(key, '0', '-1', 'WITHSCORES');
    return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', Number(flat[index * 2 + 1])]));
  };
  const merged = async (prefix: string): Promise<Table<string>> =>
    Object.assign({}, ...Object.values(await table(prefix, (key) => client.hgetall(key)))) as Table<string>;
  const records: Table<TaskRecord> = {};
  for (const key of own(recordsKey(keys.base, ''))) {
    for (const [id, bytes] of Object.entries(await client.hgetallBuffer(key))) records[id] = decodeRecord(bytes);
  }
  const text = async (key: string): Promise<string> => (await client.get(key)) ?? '';
  const members = (key: string): Promise<string[]> => client.zrange(key, '0', '-1');
  const tags = await table(`${keys.base}tag:`, members);
  const counted = Object.entries(numbers(await client.hgetall(keys.counts)));
  return {
    pending: await scores(keys.pending),
    leases: await scores(keys.processing),
    processing: await members(keys.processing),
    due: await scores(keys.due),
    dead: await members(keys.dead),
    finished: await members(keys.finished),
    locks: await table(keys.locks, text),
    records,
    messages: byTask(await merged(`${keys.base}messages:`), records),
    errors: Object.fromEntries(Object.entries(await merged(`${keys.base}errors:`)).map(([id, lines]) => [id, errorCodes(lines)])),
    results: await table(`${keys.base}result:`, text),
    identities: await merged(`${keys.base}identity:`),
    tags,
    children: await table(`${keys.base}children:`, async (key) => numbers(await client.hgetall(key))),
    events: await table(`${keys.base}events:`, (key) => client.lrange(key, 0, -1)),
    paused: (await client.exists(keys.paused)) === 1,
    counts: Object.fromEntries(counted.filter(([field]) => !field.startsWith('band:'))),
    bands: Object.fromEntries(
      counted.flatMap(([field, count]) => (field.startsWith('band:') ? [[field.slice('band:'.length), count]] : [])),
    ),
    parked: Object.assign({}, ...Object.values(await table(`${keys.base}parked:`, scores))) as Table<number>,
    totals: numbers(await client.hgetall(keys.totals)),
  };
}

/** Messages are kept under the end of their task's id; one without a record keeps that for a name. */
function byTask(messages: Table<string>, records: Table<TaskRecord>): Table<string> {
  const ids = new Map(
    Object.keys(records)
      .flatMap((id) => parseTaskId(id) ?? [])
      .map((id) => [messageField(id), id.id]),
  );
  return Object.fromEntries(Object.entries(messages).map(([field, message]) => [ids.get(field) ?? field, message]));
}

export type Change = readonly [before: unknown, after: unknown];

function leaves(value: unknown, path: string, into: Map<string, unknown>): void {
  if (Array.isArray(value)) {
    // Order is told by scores elsewhere; membership is what a verb changes.
    for (const item of value) into.set(`${path} ${String(item)}`, true);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) leaves(inner, path === '' ? key : `${path} ${key}`, into);
  } else into.set(path, value);
}

/**
 * Every leaf that differs between two worlds: `records <id> state` → `['pending', 'processing']`; what came or went has
 * `undefined` on one side. Empty where nothing changed.
 */
export function differences(before: ShardWorld, after: ShardWorld): Record<string, Change> {
  const [old, now] = [new Map<string, unknown>(), new Map<string, unknown>()];
  leaves({ ...before, bands: null }, '', old);
  leaves({ ...after, bands: null }, '', now);
  const changes: Record<string, Change> = {};
  for (const path of new Set([...old.keys(), ...now.keys()])) {
    if (!Object.is(old.get(path), now.get(path))) changes[path] = [old.get(path), now.get(path)];
  }
  return changes;
}

/** Which sorted set a record of this state stands in; null for none. */
const PLACE: Record<TaskState, 'pending' | 'processing' | 'due' | 'finished' | 'dead' | 'parked' | null> = {
  scheduled: 'due',
  pending: 'pending',
  processing: 'processing',
  retrying: 'due',
  waiting: null,
  completed: 'finished',
  cancelled: 'finished',
  dead_letter: 'dead',
};

export function placeOf({ state, flags }: Pick<TaskRecord, 'state' | 'flags'>, isChild: boolean): (typeof PLACE)[TaskState] {
  if (state === 'pending' && (flags & RECORD_FLAGS.parked) !== 0) return 'parked';
  return isChild && PLACE[state] === 'finished' ? null : PLACE[state];
}
