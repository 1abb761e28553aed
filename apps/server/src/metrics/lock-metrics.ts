import { LOCK_REFUSALS, type LockTotals } from '@galley/core';
import { durationHistogramSamples, exposeMetric } from './exposition.ts';

/** 1 ms to 66 s, each four times the one before: the leader of a chore keeps its lock for days, and nothing here waits for long. */
const EXPORTED_BUCKETS = Array.from({ length: 9 }, (_, index) => index * 4);

/** The locks that Galley itself takes, of all processes together. A lock's name is no bounded label. */
export function lockMetrics({ acquired, contended, released, lost, refused, waitMs, holdMs }: LockTotals): string {
  const attempts = [
    { labels: { outcome: 'at_once' }, value: acquired - contended },
    { labels: { outcome: 'waited' }, value: contended },
    ...LOCK_REFUSALS.map((outcome) => ({ labels: { outcome }, value: refused[outcome] })),
  ];
  const endings = Object.entries({ released, lost }).map(([ending, value]) => ({ labels: { outcome: ending }, value }));
  return [
    exposeMetric('galley_lock_attempts_total', 'counter', 'Attempts of Galley to take its own locks, by how they went.', attempts),
    exposeMetric('galley_locks_ended_total', 'counter', 'Locks of Galley itself that were given back or lost.', endings),
    exposeMetric(
      'galley_lock_acquire_seconds',
      'histogram',
      'Time from asking for a lock to having it.',
      durationHistogramSamples({}, waitMs, EXPORTED_BUCKETS),
    ),
    exposeMetric(
      'galley_lock_hold_seconds',
      'histogram',
      'Time that a lock was held.',
      durationHistogramSamples({}, holdMs, EXPORTED_BUCKETS),
    ),
  ].join('');
}
