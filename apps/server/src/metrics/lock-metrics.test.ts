import { LockMeter } from '@galley/core';
import { expect, test } from 'vitest';
import { lockMetrics } from './lock-metrics.ts';

test('the metrics of locks tell how attempts went, how locks ended, and the times in between, under bounded labels', () => {
  const meter = new LockMeter();
  meter.acquired({ name: 'a', waitedMs: 1, contended: false });
  meter.acquired({ name: 'b', waitedMs: 50, contended: true });
  meter.refused({ name: 'c', waitedMs: 1, reason: 'busy' });
  meter.released({ name: 'a', heldMs: 3 });
  meter.lost({ name: 'b', heldMs: 1_000_000 });
  const text = lockMetrics(meter.totals());
  for (const line of [
    'galley_lock_attempts_total{outcome="at_once"} 1',
    'galley_lock_attempts_total{outcome="waited"} 1',
    'galley_lock_attempts_total{outcome="busy"} 1',
    'galley_lock_attempts_total{outcome="unreachable"} 0',
    'galley_locks_ended_total{outcome="released"} 1',
    'galley_locks_ended_total{outcome="lost"} 1',
    'galley_lock_acquire_seconds_bucket{le="0.016"} 1',
    'galley_lock_acquire_seconds_bucket{le="0.064"} 2',
    'galley_lock_hold_seconds_bucket{le="65.536"} 1',
    'galley_lock_hold_seconds_bucket{le="+Inf"} 2',
    'galley_lock_hold_seconds_count 2',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
