import { DEFAULT_ALERT_THRESHOLDS } from '@galley/contract';
import { describe, expect, test } from 'vitest';
import { type AlertFacts, AlertLog, causesOf, stuckAfterMs } from './alerts.ts';

const CALM: AlertFacts = {
  now: 1_000_000_000,
  liveTasks: 10,
  workers: 1,
  paused: false,
  shards: [],
  runP95: null,
  oldestPendingAt: null,
  diedLately: 0,
  crashedLately: 0,
  lately: '5 minutes',
  redisFault: null,
  thresholds: DEFAULT_ALERT_THRESHOLDS,
};

const codes = (facts: Partial<AlertFacts>) => causesOf({ ...CALM, ...facts }).map((cause) => cause.code);

function shardWithLock(ageMs: number): AlertFacts['shards'][number] {
  return {
    shard: '05',
    pending: 0,
    processing: 1,
    locks: 1,
    due: 0,
    dead: 0,
    oldestPendingAt: null,
    oldestLock: { startedAt: CALM.now - ageMs, taskId: 'ocr-05-000000000000-aaaaaa', workerId: 'w1' },
    pendingByBand: { urgent: 0, high: 0, normal: 0, bulk: 0 },
    nextRetryAt: null,
    nextScheduledAt: null,
  };
}

describe('alerts', () => {
  test('are none while all is well', () => {
    expect(codes({})).toEqual([]);
  });

  test('say that no worker is alive only while there is work', () => {
    expect(codes({ workers: 0 })).toEqual(['no_workers']);
    expect(codes({ workers: 0, liveTasks: 0 })).toEqual([]);
  });

  test('call a shard stuck past a minute, or ten times what a run usually takes', () => {
    expect([null, 3_000, 9_000].map((p95) => stuckAfterMs(p95, DEFAULT_ALERT_THRESHOLDS))).toEqual([60_000, 60_000, 90_000]);
    expect(codes({ shards: [shardWithLock(59_000)] })).toEqual([]);
    const [stuck] = causesOf({ ...CALM, runP95: 9_000, shards: [shardWithLock(91_000)] });
    expect(stuck).toMatchObject({ code: 'shard_stuck', shard: '05', taskId: 'ocr-05-000000000000-aaaaaa', since: CALM.now - 1_000 });
    expect(stuck?.detail).toBe(
      'Shard 05 has held one lock for over 1 min 30 s. A run usually takes at most 9 s. Its lease is being renewed: the task is slow, not lost.',
    );
  });

  test('come sooner or later, as an admin has set them', () => {
    const thresholds = { stuck_least_ms: 5_000, stuck_times_p95: 2, backlog_old_ms: 3_000, dying_least: 2 };
    const shards = [shardWithLock(19_000)];
    expect(codes({ shards, runP95: 9_000 })).toEqual([]);
    expect(codes({ shards, runP95: 9_000, thresholds })).toEqual(['shard_stuck']);
    expect(codes({ diedLately: 2 })).toEqual([]);
    expect(codes({ diedLately: 2, thresholds })).toEqual(['dead_letters_rising']);
    expect(codes({ oldestPendingAt: CALM.now - 3_001 })).toEqual([]);
    expect(codes({ oldestPendingAt: CALM.now - 3_001, thresholds })).toEqual(['backlog_old']);
  });

  test('tell of an old backlog, of many deaths, of lost workers and of a forgetful Redis, worst first', () => {
    const oldestPendingAt = CALM.now - DEFAULT_ALERT_THRESHOLDS.backlog_old_ms - 1;
    expect(codes({ oldestPendingAt, diedLately: 5, crashedLately: 1, redisFault: 'appendonly is off' })).toEqual([
      'redis_policy',
      'workers_lost',
      'dead_letters_rising',
      'backlog_old',
    ]);
    expect(codes({ oldestPendingAt, paused: true })).toEqual([]);
  });

  test('keep their since while the cause lasts, and begin anew when it comes again', () => {
    const log = new AlertLog();
    const none = { code: 'no_workers', detail: '' } as const;
    expect(log.update([none], 1_000)[0]?.since).toBe('1970-01-01T00:00:01.000Z');
    expect(log.update([none], 2_000)[0]?.since).toBe('1970-01-01T00:00:01.000Z');
    log.update([], 3_000);
    expect(log.update([none], 4_000)[0]?.since).toBe('1970-01-01T00:00:04.000Z');
  });
});
