import * as z from 'zod/mini';
import { countSchema, millisecondsSchema, timestampSchema } from './primitives.ts';
import { ORDER_POLICIES } from './queue.ts';
import { ROLES, requestEngineSchema } from './requests.ts';
import { RESULT_FORMATS } from './result.ts';

/** One thing an admin did. */
export const auditEntrySchema = z.object({
  at: timestampSchema,
  /** Null where no tokens are configured. */
  user_id: z.nullable(z.string()),
  role: z.enum(ROLES),
  action: z.string(),
  detail: z.string(),
  /** How many tasks it was about, where that is known. */
  count: z.optional(countSchema),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export const auditListSchema = z.object({ entries: z.array(auditEntrySchema) });
export type AuditList = z.infer<typeof auditListSchema>;

export const healthSchema = z.object({ status: z.literal('ok') });

export const readinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  /** Why it is not ready. */
  reason: z.optional(z.string()),
  redis: z.enum(['up', 'away']),
  /** What `engine` may be in a request. */
  engines: z.array(requestEngineSchema),
  /** What `format` may be of a result; the others of the contract are answered with 501. */
  formats: z.array(z.enum(RESULT_FORMATS)),
  version: z.string(),
});
export type Readiness = z.infer<typeof readinessSchema>;

const DAY_MS = 86_400_000;

/** When the servers warn. Kept in Redis, the same for every server and queue; an admin may change it. */
export const alertThresholdsSchema = z.strictObject({
  /** A lock is stuck past this age, or past the next line where that is more. */
  stuck_least_ms: z.int().check(z.minimum(1_000), z.maximum(DAY_MS)),
  /** Times the p95 of runs lately. */
  stuck_times_p95: z.int().check(z.minimum(1), z.maximum(1_000)),
  /** The backlog is old when its oldest task has waited for longer. */
  backlog_old_ms: z.int().check(z.minimum(1_000), z.maximum(30 * DAY_MS)),
  /** Dead letters within five minutes that are called rising. */
  dying_least: z.int().check(z.minimum(1), z.maximum(1_000_000)),
});
export type AlertThresholds = z.infer<typeof alertThresholdsSchema>;

export const DEFAULT_ALERT_THRESHOLDS: AlertThresholds = {
  stuck_least_ms: 60_000,
  stuck_times_p95: 10,
  backlog_old_ms: 600_000,
  dying_least: 5,
};

/** What Redis tells of itself. Null where it does not say, as managed servers may refuse to. On a cluster: sums over its masters. */
export const redisFactsSchema = z.object({
  name: z.enum(['Redis', 'Valkey']),
  version: z.string(),
  mode: z.enum(['single', 'cluster']),
  /** Masters that keep queues; 1 on a single server. */
  masters: countSchema,
  memory_bytes: countSchema,
  memory_peak_bytes: countSchema,
  /** Null: no limit is set. */
  memory_limit_bytes: z.nullable(countSchema),
  clients: countSchema,
  /** Of the master that was started last. */
  uptime_ms: millisecondsSchema,
  /** `maxmemory-policy`. */
  eviction: z.nullable(z.string()),
  /** `appendfsync`, or `off` where `appendonly` is. */
  append_fsync: z.nullable(z.string()),
});
export type RedisFacts = z.infer<typeof redisFactsSchema>;

/** What the asked server works with. */
export const systemSchema = z.object({
  version: z.string(),
  redis: redisFactsSchema,
  /** Of the queue that was asked for: what was fixed when it was created, and what this server goes by. */
  queue: z.object({
    queue: z.string(),
    shards: countSchema,
    order: z.enum(ORDER_POLICIES),
    lock_keys: z.boolean(),
    lease_ms: millisecondsSchema,
    max_retries: countSchema,
    crash_budget: countSchema,
    timeout_ms: millisecondsSchema,
    result_ms: millisecondsSchema,
    retention_ms: millisecondsSchema,
    dead_retention_ms: millisecondsSchema,
    /** Waiting tasks past which submits are refused; 0 for no limit. */
    depth_limit: countSchema,
  }),
  /** 0 for no limit. */
  max_file_bytes: countSchema,
  max_files: countSchema,
  alerts: alertThresholdsSchema,
});
export type System = z.infer<typeof systemSchema>;
