import type { Alert, Worker } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { formatsOf } from '../../i18n/index.ts';
import { snapshotWith } from '../../testing/snapshots.ts';
import { alertsOf } from './alerts.model.ts';
import { overview } from './messages.ts';

const at = '2026-11-30T14:27:42.000Z';
const stuck: Alert = { code: 'shard_stuck', since: at, detail: '', shard: '05' };
const shards = [
  {
    shard: '05',
    pending: 0,
    processing: 1,
    locks: 1,
    due: 0,
    dead: 0,
    oldest_pending_ms: null,
    oldest_lock: { ms: 252_000, task_id: 'ocr-05-000000000017-a1t8zd', worker_id: 'ocr-b1-2207-x1q8' },
  },
];
const worker: Worker = {
  worker_id: 'ocr-b1-2207-x1q8',
  host: 'press-b',
  pid: 1,
  queues: ['ocr'],
  slots: 8,
  busy: 1,
  tasks: [],
  heartbeat_at: at,
  started_at: at,
  rss_bytes: 0,
  version: '0.1.0',
};

function alerts(list: readonly Alert[], workers: readonly Worker[], language: 'en' | 'zh' = 'en') {
  const snapshot = snapshotWith({ alerts: [...list], shards, run_ms: { p50: 3_400, p95: null, p99: null } });
  return alertsOf({ snapshot, workers, words: overview[language].alert, formats: formatsOf(language) });
}

describe('alerts', () => {
  it('says of a stuck shard what is so, what is usual, and that nothing is lost', () => {
    expect(alerts([stuck], [worker])[0]).toMatchObject({
      what: 'Shard 05 has held one lock for 4 min 12 s.',
      why: 'A run usually takes 3.4 s. Its worker is alive and renews: the task is slow, not lost.',
      links: [{ to: '/tasks/ocr-05-000000000017-a1t8zd' }, { to: '#worker-ocr-b1-2207-x1q8' }],
    });
    expect(alerts([stuck], [worker], 'zh')[0]).toMatchObject({
      what: '分片 05 有一把锁已持有 4 分 12 秒。',
      why: '通常一次运行只需 3.4 秒。工作进程在线并持续续租：任务只是慢，没有丢。',
    });
  });

  it('does not call a worker alive that is not listed', () => {
    expect(alerts([stuck], [])[0]?.why).toBe('A run usually takes 3.4 s.');
  });

  it('puts what stops work before what is slow', () => {
    const list: Alert[] = [stuck, { code: 'no_workers', since: at, detail: '' }, { code: 'redis_policy', since: at, detail: '' }];
    expect(alerts(list, []).map((alert) => alert.id)).toEqual(['redis_policy', 'no_workers', 'shard_stuck 05']);
  });
});
