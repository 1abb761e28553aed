import type { ShardRow } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { snapshotWith } from '../../testing/snapshots.ts';
import { shardsOf, stuckTasks } from './shards.model.ts';

const shard = (name: string, change: Partial<ShardRow> = {}): ShardRow => ({
  shard: name,
  pending: 0,
  processing: 0,
  locks: 0,
  due: 0,
  dead: 0,
  oldest_pending_ms: null,
  ...change,
});
const lock = { ms: 252_000, task_id: 'ocr-05-000000000017-a1t8zd', worker_id: 'ocr-b1-2207-x1q8' };
const alert = { code: 'shard_stuck', since: '2026-11-30T14:27:42.000Z', detail: '', shard: '05' } as const;

describe('shards', () => {
  it('measures bars by the fullest shard and marks what is stuck or does not add up', () => {
    const models = shardsOf(
      snapshotWith({
        shards: [
          shard('04', { pending: 50, locks: 3, processing: 4 }),
          shard('05', { pending: 100, locks: 1, processing: 1, oldest_lock: lock }),
        ],
        alerts: [alert],
      }),
    );
    expect(models.map(({ share, stuck, differs }) => ({ share, stuck, differs }))).toEqual([
      { share: 0.5, stuck: false, differs: true },
      { share: 1, stuck: true, differs: false },
    ]);
  });

  it('compares no locks where the queue keeps none', () => {
    expect(shardsOf(snapshotWith({ lock_keys: false, shards: [shard('00', { processing: 2 })] }))[0]?.differs).toBe(false);
  });

  it('keeps the order of few shards and puts warnings first among many', () => {
    const many = Array.from({ length: 20 }, (_, index) => shard(String(index).padStart(2, '0')));
    expect(shardsOf(snapshotWith({ shards: many, alerts: [alert] }))[0]?.row.shard).toBe('05');
    expect(shardsOf(snapshotWith({ shards: many.slice(0, 16), alerts: [alert] }))[0]?.row.shard).toBe('00');
  });

  it('names the tasks that hold the locks of stuck shards', () => {
    const snapshot = snapshotWith({ shards: [shard('05', { oldest_lock: lock })], alerts: [alert] });
    expect([...stuckTasks(snapshot)]).toEqual([lock.task_id]);
  });
});
