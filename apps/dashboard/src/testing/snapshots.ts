import type { HistoryPoint, QueueSnapshot, TaskState } from '@galley/contract';

const NO_COUNTS: Readonly<Record<TaskState, number>> = {
  scheduled: 0,
  pending: 0,
  processing: 0,
  retrying: 0,
  waiting: 0,
  completed: 0,
  cancelled: 0,
  dead_letter: 0,
};

/** A quiet queue of one shard; tests change what they are about. */
export function snapshotWith(change: Partial<QueueSnapshot> = {}): QueueSnapshot {
  return {
    at: '2026-11-30T14:31:54.000Z',
    queue: 'ocr',
    paused: false,
    order: 'strict',
    lock_keys: true,
    counts: NO_COUNTS,
    pending_by_band: { urgent: 0, high: 0, normal: 0, bulk: 0 },
    pages: { pending: 0, per_minute: 0 },
    shards: [{ shard: '00', pending: 0, processing: 0, locks: 0, due: 0, dead: 0, oldest_pending_ms: null }],
    rates: { completed_per_minute: 0, failed_per_minute: 0, submitted_per_minute: 0 },
    wait_ms: { p50: null, p95: null, p99: null },
    run_ms: { p50: null, p95: null, p99: null },
    workers: { count: 1, slots: 4, busy: 0 },
    alerts: [],
    ...change,
  };
}

export function countsWith(change: Partial<Record<TaskState, number>>): Record<TaskState, number> {
  return { ...NO_COUNTS, ...change };
}

/** A minute in which nothing happened, `minute` minutes after 13:32. */
export function pointAt(minute: number, change: Partial<HistoryPoint> = {}): HistoryPoint {
  return {
    at: new Date(Date.parse('2026-11-30T13:32:00.000Z') + minute * 60_000).toISOString(),
    counts: NO_COUNTS,
    pending_by_band: { urgent: 0, high: 0, normal: 0, bulk: 0 },
    submitted: 0,
    completed: 0,
    failed: 0,
    crashed: 0,
    pages: 0,
    wait_ms: { p50: null, p95: null, p99: null },
    run_ms: { p50: null, p95: null, p99: null },
    slots: 4,
    busy: 0,
    ...change,
  };
}
