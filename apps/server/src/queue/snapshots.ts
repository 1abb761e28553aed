import { LIVE_STATES, type PriorityBand, type QueueSnapshot, type ShardRow } from '@galley/contract';
import { type Connection, deadByCode, type Fields, listWorkers, quantilesOf, type ShardState, stateCounts, sumFields } from '@galley/core';
import { isoTime } from '../tasks/task-answer.ts';
import type { AlertThresholdStore } from './alert-thresholds.ts';
import { AlertLog, causesOf } from './alerts.ts';
import type { ServedQueue } from './queues.ts';
import { slidingRates } from './rates.ts';
import type { RedisPolicy } from './redis-policy.ts';

/** Quantiles and recent deaths are over this many minutes, the present one included. */
const LATELY_MINUTES = 5;
const MINUTE_MS = 60_000;
/** Callers within this time share one computation. */
const FRESH_MS = 250;

export interface SnapshotWithDead {
  readonly snapshot: QueueSnapshot;
  /** Dead letters by code. */
  readonly dead: Readonly<Record<string, number>>;
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function shardRow(shard: ShardState, now: number): ShardRow {
  const age = (since: number): number => Math.max(0, now - since);
  return {
    shard: shard.shard,
    pending: shard.pending,
    processing: shard.processing,
    locks: shard.locks,
    due: shard.due,
    dead: shard.dead,
    oldest_pending_ms: shard.oldestPendingAt === null ? null : age(shard.oldestPendingAt),
    ...(shard.oldestLock === null
      ? {}
      : { oldest_lock: { ms: age(shard.oldestLock.startedAt), task_id: shard.oldestLock.taskId, worker_id: shard.oldestLock.workerId } }),
  };
}

function bands(shards: readonly ShardState[]): Record<PriorityBand, number> {
  const sum = (band: PriorityBand): number => shards.reduce((total, shard) => total + shard.pendingByBand[band], 0);
  return { urgent: sum('urgent'), high: sum('high'), normal: sum('normal'), bulk: sum('bulk') };
}

/** The state of each queue, computed once for everyone who asks within a moment. */
export class Snapshots {
  private readonly connection: Connection;
  private readonly policy: RedisPolicy;
  private readonly thresholds: AlertThresholdStore;
  private readonly alerts = new Map<string, AlertLog>();
  private readonly kept = new Map<string, { readonly at: number; readonly snapshot: Promise<SnapshotWithDead> }>();

  constructor(connection: Connection, policy: RedisPolicy, thresholds: AlertThresholdStore) {
    this.connection = connection;
    this.policy = policy;
    this.thresholds = thresholds;
  }

  /** `freshMs` 0: computed now, as after a change that the answer must show. */
  read(served: ServedQueue, freshMs = FRESH_MS): Promise<SnapshotWithDead> {
    const { name } = served.queue;
    const kept = this.kept.get(name);
    if (kept !== undefined && performance.now() - kept.at < freshMs) return kept.snapshot;
    const snapshot = this.compute(served);
    this.kept.set(name, { at: performance.now(), snapshot });
    // A failure is its callers' to report; the next caller tries again.
    snapshot.catch(() => {
      if (this.kept.get(name)?.snapshot === snapshot) this.kept.delete(name);
    });
    return snapshot;
  }

  private async compute({ queue, inspector }: ServedQueue): Promise<SnapshotWithDead> {
    const now = await inspector.now();
    const minute = Math.floor(now / MINUTE_MS);
    const minutes = Array.from({ length: LATELY_MINUTES }, (_, index) => minute - LATELY_MINUTES + 1 + index);
    const [counts, shards, fields, paused, workers, redisFault, thresholds] = await Promise.all([
      inspector.counts(),
      inspector.shards(),
      inspector.minutes(minutes),
      inspector.isPaused(),
      listWorkers(this.connection),
      this.policy.faultNow(),
      this.thresholds.read(),
    ]);
    const serving = workers.filter((worker) => worker.queues.includes(queue.name));
    const states = stateCounts(counts);
    const lately = sumFields(fields);
    const { pages_per_minute: pagesPerMinute, ...rates } = slidingRates(fields.at(-2) ?? {}, fields.at(-1) ?? {}, now);
    const runMs = quantilesOf(lately, 'run:');
    const nextRetry = least(shards.map((shard) => shard.nextRetryAt));
    const nextScheduled = least(shards.map((shard) => shard.nextScheduledAt));
    const causes = causesOf({
      now,
      liveTasks: LIVE_STATES.reduce((sum, state) => sum + states[state], 0),
      workers: serving.length,
      paused,
      shards,
      runP95: runMs.p95,
      oldestPendingAt: least(shards.map((shard) => shard.oldestPendingAt)),
      diedLately: died(lately),
      crashedLately: lately.crashed ?? 0,
      lately: `${LATELY_MINUTES} minutes`,
      redisFault,
      thresholds,
    });
    const snapshot: QueueSnapshot = {
      at: isoTime(now),
      queue: queue.name,
      paused,
      order: queue.layout.order,
      lock_keys: queue.layout.lockKeys,
      counts: states,
      pending_by_band: bands(shards),
      ...(nextRetry === null ? {} : { next_retry_at: isoTime(nextRetry) }),
      ...(nextScheduled === null ? {} : { next_scheduled_at: isoTime(nextScheduled) }),
      // A waiting document's pages are tasks of their own; every other live task is at least one page.
      pages: { pending: states.scheduled + states.pending + states.processing + states.retrying, per_minute: pagesPerMinute },
      shards: shards.map((shard) => shardRow(shard, now)),
      rates,
      wait_ms: quantilesOf(lately, 'wait:'),
      run_ms: runMs,
      workers: {
        count: serving.length,
        slots: serving.reduce((sum, worker) => sum + worker.slots, 0),
        busy: serving.reduce((sum, worker) => sum + worker.busy, 0),
      },
      alerts: this.alertLog(queue.name).update(causes, now),
    };
    return { snapshot, dead: deadByCode(counts) };
  }

  private alertLog(queue: string): AlertLog {
    const known = this.alerts.get(queue);
    if (known !== undefined) return known;
    const log = new AlertLog();
    this.alerts.set(queue, log);
    return log;
  }
}

function died(fields: Fields): number {
  return (fields.dead_lettered ?? 0) + (fields['child:dead_lettered'] ?? 0);
}
