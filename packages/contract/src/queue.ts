import * as z from 'zod/mini';
import { countSchema, millisecondsSchema, shardSchema, taskIdSchema, timestampSchema } from './primitives.ts';
import { PRIORITY_BANDS } from './priority.ts';
import { TASK_STATES } from './states.ts';

export const ORDER_POLICIES = ['strict', 'aging', 'fair'] as const;
export type OrderPolicy = (typeof ORDER_POLICIES)[number];

const byState = z.record(z.enum(TASK_STATES), countSchema);
const byBand = z.record(z.enum(PRIORITY_BANDS), countSchema);

/** Null where nothing was measured in the window. */
export const quantilesSchema = z.object({ p50: z.nullable(z.number()), p95: z.nullable(z.number()), p99: z.nullable(z.number()) });

export const shardRowSchema = z.object({
  shard: shardSchema,
  pending: countSchema,
  processing: countSchema,
  /** Lock keys that exist, counted; not the size of the processing ZSET. */
  locks: countSchema,
  due: countSchema,
  dead: countSchema,
  oldest_pending_ms: z.nullable(millisecondsSchema),
  oldest_lock: z.optional(z.object({ ms: millisecondsSchema, task_id: taskIdSchema, worker_id: z.string() })),
});
export type ShardRow = z.infer<typeof shardRowSchema>;

export const ALERT_CODES = ['no_workers', 'shard_stuck', 'backlog_old', 'dead_letters_rising', 'redis_policy', 'workers_lost'] as const;
export const alertSchema = z.object({
  code: z.enum(ALERT_CODES),
  since: timestampSchema,
  detail: z.string(),
  shard: z.optional(shardSchema),
  task_id: z.optional(taskIdSchema),
});
export type Alert = z.infer<typeof alertSchema>;

export const queueSnapshotSchema = z.object({
  /** The server's time, so that no browser has to trust its own clock. */
  at: timestampSchema,
  queue: z.string(),
  paused: z.boolean(),
  order: z.enum(ORDER_POLICIES),
  lock_keys: z.boolean(),
  counts: byState,
  pending_by_band: byBand,
  next_retry_at: z.optional(timestampSchema),
  next_scheduled_at: z.optional(timestampSchema),
  pages: z.object({ pending: countSchema, per_minute: z.number() }),
  shards: z.array(shardRowSchema),
  rates: z.object({ completed_per_minute: z.number(), failed_per_minute: z.number(), submitted_per_minute: z.number() }),
  wait_ms: quantilesSchema,
  run_ms: quantilesSchema,
  workers: z.object({ count: countSchema, slots: countSchema, busy: countSchema }),
  alerts: z.array(alertSchema),
});
export type QueueSnapshot = z.infer<typeof queueSnapshotSchema>;

/** One minute. A minute in which nobody counted is left out, never made up. */
export const historyPointSchema = z.object({
  at: timestampSchema,
  counts: byState,
  pending_by_band: byBand,
  submitted: countSchema,
  completed: countSchema,
  failed: countSchema,
  crashed: countSchema,
  pages: countSchema,
  wait_ms: quantilesSchema,
  run_ms: quantilesSchema,
  slots: countSchema,
  busy: countSchema,
});
export type HistoryPoint = z.infer<typeof historyPointSchema>;
export const historySchema = z.object({
  queue: z.string(),
  range: z.enum(['15m', '1h', '6h', '24h']),
  points: z.array(historyPointSchema),
});
export type History = z.infer<typeof historySchema>;

export const queueNamesSchema = z.object({
  queues: z.array(z.object({ queue: z.string(), shards: countSchema, live: countSchema, paused: z.boolean() })),
});

export const workerSchema = z.object({
  worker_id: z.string(),
  host: z.string(),
  pid: z.int(),
  queues: z.array(z.string()),
  slots: countSchema,
  busy: countSchema,
  /** What each busy slot does. */
  tasks: z.array(
    z.object({
      task_id: taskIdSchema,
      filename: z.optional(z.string()),
      type: z.optional(z.string()),
      started_at: z.optional(timestampSchema),
      progress: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
    }),
  ),
  heartbeat_at: timestampSchema,
  started_at: timestampSchema,
  rss_bytes: countSchema,
  /** CPU time of its process, threads included. */
  cpu_seconds: z.optional(z.number().check(z.minimum(0))),
  /** The longest that its event loop stood still between its last two heartbeats. */
  standstill_ms: z.optional(countSchema),
  version: z.string(),
});
export type Worker = z.infer<typeof workerSchema>;
export const workerListSchema = z.object({ workers: z.array(workerSchema) });
