import { type HistoryPoint, historyPointSchema, PRIORITY_BANDS, type PriorityBand } from '@galley/contract';
import { type Fields, readCounts, readMinutes, redisNow, stateCounts } from '../inspector/counts.ts';
import { readShard } from '../inspector/shards.ts';
import type { QueueLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { historyKey } from '../redis/keys.ts';
import { mergeHistograms, quantile, readHistogram } from '../rules/histogram.ts';
import { listWorkers } from '../worker/registry.ts';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1_440;
const HISTORY_SECONDS = 2 * 86_400;

/** p50, p95 and p99 of the durations counted under `<prefix><bucket>` (children's too). */
export function quantilesOf(fields: Fields, prefix: 'wait:' | 'run:'): HistoryPoint['wait_ms'] {
  const histogram = mergeHistograms([readHistogram(fields, prefix), readHistogram(fields, `child:${prefix}`)]);
  return { p50: quantile(histogram, 0.5), p95: quantile(histogram, 0.95), p99: quantile(histogram, 0.99) };
}

/** What one minute's fields say happened in it, children counted with their parents. */
export function ratesOf(fields: Fields): { submitted: number; completed: number; failed: number; crashed: number; pages: number } {
  const both = (field: string): number => (fields[field] ?? 0) + (fields[`child:${field}`] ?? 0);
  return {
    submitted: both('submitted'),
    completed: both('completed'),
    failed: both('failed'),
    crashed: both('crashed'),
    pages: fields['counter:pages'] ?? 0,
  };
}

/**
 * Writes the point of the last whole minute, once: minute counts are already in Redis, and the depth is sampled here.
 * Every process may call it; the first one writes. Answers in how many milliseconds the next minute is over.
 */
export async function recordHistory(connection: Connection, layout: QueueLayout): Promise<number> {
  const now = await redisNow(connection);
  const minute = Math.floor(now / MINUTE_MS) - 1;
  const key = historyKey(layout.queue, Math.floor(minute / MINUTES_PER_DAY));
  const nextInMs = (minute + 2) * MINUTE_MS - now;
  if ((await connection.client.hexists(key, String(minute))) === 1) return nextInMs;
  const [counts, [fields = {}], shards, workers] = await Promise.all([
    readCounts(connection, layout),
    readMinutes(connection, layout, [minute]),
    Promise.all(layout.shardList.map((shard) => readShard(connection, layout, shard))),
    listWorkers(connection),
  ]);
  const serving = workers.filter((worker) => worker.queues.includes(layout.queue));
  const point: HistoryPoint = {
    at: new Date((minute + 1) * MINUTE_MS).toISOString(),
    counts: stateCounts(counts),
    pending_by_band: Object.fromEntries(
      PRIORITY_BANDS.map((band) => [band, shards.reduce((sum, shard) => sum + shard.pendingByBand[band], 0)]),
    ) as Record<PriorityBand, number>,
    ...ratesOf(fields),
    wait_ms: quantilesOf(fields, 'wait:'),
    run_ms: quantilesOf(fields, 'run:'),
    slots: serving.reduce((sum, worker) => sum + worker.slots, 0),
    busy: serving.reduce((sum, worker) => sum + worker.busy, 0),
  };
  if ((await connection.client.hsetnx(key, String(minute), JSON.stringify(point))) === 1)
    await connection.client.expire(key, HISTORY_SECONDS);
  return nextInMs;
}

/** The points of the last `minutes` minutes, oldest first; minutes in which nobody wrote are left out. */
export async function readHistory(connection: Connection, queue: string, minutes: number): Promise<HistoryPoint[]> {
  const now = await redisNow(connection);
  const last = Math.floor(now / MINUTE_MS) - 1;
  const byDay = new Map<string, string[]>();
  for (let minute = last - minutes + 1; minute <= last; minute++) {
    const key = historyKey(queue, Math.floor(minute / MINUTES_PER_DAY));
    const fields = byDay.get(key);
    if (fields === undefined) byDay.set(key, [String(minute)]);
    else fields.push(String(minute));
  }
  const stored = await Promise.all([...byDay].map(([key, fields]) => connection.client.hmget(key, ...fields)));
  return stored.flat().flatMap((text) => (text === null ? [] : [historyPointSchema.parse(JSON.parse(text))]));
}
