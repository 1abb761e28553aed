import { TASK_STATES, type TaskState } from '@galley/contract';
import type { QueueLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { minuteKey } from '../redis/keys.ts';

export type StateCounts = Record<TaskState, number>;
export type Fields = Record<string, number>;

function numbers(fields: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, Number(value)]));
}

export function sumFields(all: readonly Fields[]): Fields {
  const sum: Fields = {};
  for (const fields of all) for (const [field, value] of Object.entries(fields)) sum[field] = (sum[field] ?? 0) + value;
  return sum;
}

/** Tasks by state; with `children` those only, without it all. */
export function stateCounts(fields: Fields, prefix: '' | 'child:' = ''): StateCounts {
  return Object.fromEntries(TASK_STATES.map((state) => [state, Math.max(0, fields[`${prefix}${state}`] ?? 0)])) as StateCounts;
}

/** The `counts` hashes of all shards, summed: tasks by state (`child:` before children's) and `dead:<code>`. */
export async function readCounts(connection: Connection, layout: QueueLayout): Promise<Fields> {
  return sumFields((await Promise.all(layout.shardList.map((shard) => connection.client.hgetall(shard.keys.counts)))).map(numbers));
}

/** The counters that never fall, summed over the shards. */
export async function readTotals(connection: Connection, layout: QueueLayout): Promise<Fields> {
  return sumFields((await Promise.all(layout.shardList.map((shard) => connection.client.hgetall(shard.keys.totals)))).map(numbers));
}

/** What happened in each of these minutes (epoch minutes), summed over the shards. */
export async function readMinutes(connection: Connection, layout: QueueLayout, minutes: readonly number[]): Promise<Fields[]> {
  const perShard = await Promise.all(
    layout.shardList.map(async (shard) => {
      const pipeline = connection.client.pipeline();
      for (const minute of minutes) pipeline.hgetall(minuteKey(shard.keys.base, minute));
      const replies = (await pipeline.exec()) ?? [];
      return replies.map(([error, value]) => {
        if (error !== null) throw error;
        return numbers((value ?? {}) as Record<string, string>);
      });
    }),
  );
  return minutes.map((_, index) => sumFields(perShard.map((shard) => shard[index] ?? {})));
}

/** Dead letters by code, from the counts. */
export function deadByCode(fields: Fields): Record<string, number> {
  const byCode: Record<string, number> = {};
  for (const [field, count] of Object.entries(fields))
    if (field.startsWith('dead:') && count > 0) byCode[field.slice('dead:'.length)] = count;
  return byCode;
}

/** Redis's time in milliseconds; every age that is shown is measured by it. */
export async function redisNow(connection: Connection): Promise<number> {
  const [seconds, microseconds] = await connection.client.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
