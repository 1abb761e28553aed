import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../testing/scheduler.ts';
import { Locks } from './locks.ts';
import { RedisLockStore } from './redis/redis-lock-store.ts';
import { freeShards, shardedNames, shardOfKey } from './shards.ts';

describe('a lock in shards', () => {
  let redis: TestRedis;
  let locks: Locks;
  let others: Locks;
  beforeAll(async () => {
    redis = await startTestRedis();
    locks = new Locks({ store: new RedisLockStore(redis.connection) });
    others = new Locks({ store: new RedisLockStore(redis.connection) });
  });
  afterAll(() => redis.stop());

  it('is named by its shards', () => {
    expect(shardedNames('job', 3)).toEqual(['job:shard-00', 'job:shard-01', 'job:shard-02']);
    expect(() => shardedNames('job', 0)).toThrow(/1 to 1024 shards, not 0/);
  });

  it('spreads keys evenly, each always to the same shard', () => {
    const counts = new Map<string, number>();
    for (let key = 0; key < 8_000; key++) {
      const shard = shardOfKey('job', `table-${key}`, 8);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(shardedNames('job', 8));
    for (const count of counts.values()) expect(count).toBeGreaterThan(800);
    expect(shardOfKey('job', 'table-7', 8)).toBe(shardOfKey('job', 'table-7', 8));
  });

  it('lets one walk the free shards without waiting, and gives each back when it goes on', async () => {
    const busy = await others.acquire('walk:shard-02');
    const seen: number[] = [];
    for await (const { shard, lock } of freeShards(locks, 'walk', 4, { random: () => 0.3 })) {
      seen.push(shard);
      expect((await locks.list('walk:*')).map((view) => view.name)).toEqual([lock.name, busy.name].toSorted());
    }
    expect(seen).toEqual([1, 3, 0]);
    await busy.release();
    expect(await locks.list('walk:*')).toEqual([]);
  });

  it('lets two walk side by side without meeting', async () => {
    const held = new Set<string>();
    const walk = async (own: Locks): Promise<number> => {
      let count = 0;
      for await (const { lock } of freeShards(own, 'both', 8)) {
        expect(held.has(lock.name)).toBe(false);
        held.add(lock.name);
        await new Promise((resolve) => setImmediate(resolve));
        held.delete(lock.name);
        count++;
      }
      return count;
    };
    const counts = await Promise.all([walk(locks), walk(others)]);
    expect(counts[0] + counts[1]).toBeGreaterThanOrEqual(8);
  });

  it('gives the shard back when the walk is left early or throws', async () => {
    for await (const free of freeShards(locks, 'early', 2)) {
      expect(free.lock.name).toMatch(/^early:/);
      break;
    }
    const failing = async (): Promise<void> => {
      for await (const { shard } of freeShards(locks, 'early', 2)) throw new Error(`in ${shard}`);
    };
    await expect(failing()).rejects.toThrow(/in \d/);
    expect(await locks.list('early:*')).toEqual([]);
  });
});
