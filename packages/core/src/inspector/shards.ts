import { type OrderPolicy, PRIORITY_BANDS, PRIORITY_PRESETS, type PriorityBand } from '@galley/contract';
import type { QueueLayout, ShardLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { recordsKey } from '../redis/keys.ts';
import { bucketOf, parseTaskId } from '../rules/ids.ts';
import { TURNS_PER_PRIORITY } from '../rules/order.ts';
import { decodeRecord, type TaskRecord } from '../rules/record.ts';

export interface OldestLock {
  readonly startedAt: number;
  readonly taskId: string;
  readonly workerId: string;
}

export interface ShardState {
  readonly shard: string;
  readonly pending: number;
  readonly processing: number;
  readonly locks: number;
  readonly due: number;
  readonly dead: number;
  readonly oldestPendingAt: number | null;
  readonly oldestLock: OldestLock | null;
  readonly pendingByBand: Readonly<Record<PriorityBand, number>>;
  readonly nextRetryAt: number | null;
  readonly nextScheduledAt: number | null;
}

/** How many running tasks of a shard are looked at for its locks; workers rarely hold more. */
const LOCKS_SEEN = 500;
const DUE_SEEN = 20;

const { high, normal, bulk } = PRIORITY_PRESETS;

/** Score ranges whose best task is looked at to find the one that waits longest: a band each, where scores tell bands apart. */
function waitingRanges(order: OrderPolicy): readonly (readonly [string, string])[] {
  if (order === 'aging') return [['-inf', '+inf']];
  const scale = order === 'fair' ? TURNS_PER_PRIORITY : 1;
  return [
    ['-inf', `(${high * scale}`],
    [String(high * scale), `(${normal * scale}`],
    [String(normal * scale), `(${bulk * scale}`],
    [String(bulk * scale), '+inf'],
  ];
}

async function exec(pipeline: { exec(): Promise<[Error | null, unknown][] | null> }): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, value]) => {
    if (error !== null) throw error;
    return value;
  });
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

async function readRecords(connection: Connection, shard: ShardLayout, ids: readonly string[]): Promise<Map<string, TaskRecord>> {
  const pipeline = connection.client.pipeline();
  const known = ids.flatMap((id) => parseTaskId(id) ?? []);
  for (const id of known) pipeline.hgetBuffer(recordsKey(shard.keys.base, bucketOf(id)), id.id);
  const values = await exec(pipeline);
  const records = new Map<string, TaskRecord>();
  known.forEach((id, index) => {
    const value = values[index];
    if (Buffer.isBuffer(value)) records.set(id.id, decodeRecord(value));
  });
  return records;
}

/** What one shard holds now, in two round trips; lock keys are counted as keys, not as ZSET entries. */
export async function readShard(connection: Connection, layout: QueueLayout, shard: ShardLayout): Promise<ShardState> {
  const { keys } = shard;
  const first = connection.client.pipeline();
  for (const key of [keys.processing, keys.due, keys.dead]) first.zcard(key);
  // Parked tasks are pending too, and stand in no one sorted set: the counts know them.
  first.hmget(keys.counts, 'pending', ...PRIORITY_BANDS.map((band) => `band:${band}`));
  first.zrange(keys.processing, '0', String(LOCKS_SEEN - 1));
  first.zrange(keys.due, '0', String(DUE_SEEN - 1));
  for (const [from, to] of waitingRanges(layout.order)) first.zrange(keys.pending, from, to, 'BYSCORE', 'LIMIT', 0, 1);
  const [processing, due, dead, counted, running, waiting, ...heads] = await exec(first);
  const [pending, ...bands] = Array.isArray(counted) ? counted.map((count) => Math.max(0, Number(count ?? 0))) : [];
  const runningIds = strings(running);
  const waitingIds = strings(waiting);
  const bandHeads = heads.flatMap(strings);

  const records = await readRecords(connection, shard, [...runningIds, ...waitingIds, ...bandHeads]);
  const locks = layout.lockKeys && runningIds.length > 0 ? await connection.client.exists(...runningIds.map((id) => keys.locks + id)) : 0;
  const byStart = runningIds.flatMap((id) => {
    const record = records.get(id);
    return record === undefined ? [] : [{ startedAt: record.startedAt, taskId: id, workerId: record.worker }];
  });
  const dueOf = (state: 'scheduled' | 'retrying'): number | null =>
    least(waitingIds.flatMap((id) => (records.get(id)?.state === state ? (records.get(id)?.since ?? []) : [])));
  return {
    shard: shard.name,
    pending: pending ?? 0,
    processing: Number(processing),
    locks,
    due: Number(due),
    dead: Number(dead),
    oldestPendingAt: least(bandHeads.flatMap((id) => records.get(id)?.since ?? [])),
    oldestLock: byStart.reduce<OldestLock | null>(
      (oldest, lock) => (oldest === null || lock.startedAt < oldest.startedAt ? lock : oldest),
      null,
    ),
    pendingByBand: Object.fromEntries(PRIORITY_BANDS.map((band, index) => [band, bands[index] ?? 0])) as Record<PriorityBand, number>,
    nextRetryAt: dueOf('retrying'),
    nextScheduledAt: dueOf('scheduled'),
  };
}

export function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}
