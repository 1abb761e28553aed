import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../testing/scheduler.ts';
import { Locks } from './locks.ts';
import { MajorityLockStore } from './redis/majority-lock-store.ts';
import { RedisLockStore } from './redis/redis-lock-store.ts';
import { shardedNames } from './shards.ts';

const refused = { code: 'invalid_request' };
const NO_NAMES = ['', 'two words', 'a{b}', 'a*', 'a[b]', 'back\\slash', 'line\nbreak', 'é', 'x'.repeat(201), 'x'.repeat(1_000_000)];
/** What JavaScript hands in where a variable was forgotten. */
const NOTHING = undefined as unknown as string;

describe('options of locks', () => {
  let redis: TestRedis;
  let store: RedisLockStore;
  let locks: Locks;
  beforeAll(async () => {
    redis = await startTestRedis();
    store = new RedisLockStore(redis.connection);
    locks = new Locks({ store });
  });
  afterAll(async () => {
    expect(await redis.connection.client.dbsize()).toBe(0);
    await store.close();
    await redis.stop();
  });

  it('refuse what is no name, in a sentence that stays short', async () => {
    for (const name of [...NO_NAMES, NOTHING]) {
      await expect(locks.acquire(name)).rejects.toMatchObject(refused);
      await expect(locks.tryAcquire(name)).rejects.toThrow(/^.{1,200}$/);
      await expect(locks.withLock(name, () => 'never')).rejects.toMatchObject(refused);
      await expect(locks.acquireAll(['fine', name])).rejects.toMatchObject(refused);
      await expect(locks.inspect(name)).rejects.toMatchObject(refused);
      expect(() => shardedNames(name, 4)).toThrow(/cannot name a lock/);
      expect(() => locks.as(name)).toThrow(/cannot name a holder/);
    }
    await expect(locks.acquireAll([])).rejects.toMatchObject(refused);
  });

  it.each([0, 19, -1, 1.5, 86_400_001, Number.NaN, Number.POSITIVE_INFINITY, '50' as unknown as number])(
    'refuse a TTL of %s ms',
    async (ttlMs) => {
      await expect(locks.tryAcquire('name', { ttlMs })).rejects.toThrow(/ttlMs is .* from 20 to 86400000/);
      await expect(locks.acquireAll(['name'], { ttlMs })).rejects.toMatchObject(refused);
      await expect(locks.withLock('name', () => 'never', { ttlMs })).rejects.toMatchObject(refused);
    },
  );

  it.each([-1, -0.5, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 31, '5' as unknown as number])(
    'refuse a wait of %s ms',
    async (waitMs) => {
      await expect(locks.acquire('name', { waitMs })).rejects.toThrow(/waitMs is .* from 0 to 2147483647, or Infinity/);
      await expect(locks.acquireAll(['name'], { waitMs })).rejects.toMatchObject(refused);
    },
  );

  it('refuse a pattern that is none, and a limit that is none', async () => {
    for (const pattern of ['', 'a b', 'a[bc]', '{a}', 'a\\*', 'x'.repeat(201), null as unknown as string]) {
      await expect(locks.list(pattern)).rejects.toThrow(/is no pattern of lock names/);
    }
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 10_001]) {
      await expect(locks.list('*', limit)).rejects.toThrow(/limit is .* from 1 to 10000/);
    }
    expect(await locks.list('a:*-?.b/@+=', 10_000)).toEqual([]);
  });

  it('refuse times of a store that are none', () => {
    for (const time of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new RedisLockStore(redis.connection, { aliveMs: time })).toThrow(/aliveMs is/);
      expect(
        () =>
          new MajorityLockStore(
            [1, 2, 3].map(() => redis.connection),
            { serverTimeoutMs: time },
          ),
      ).toThrow(/serverTimeoutMs is/);
    }
  });

  it('take a wait without end, and a TTL that is renewed to the shortest', async () => {
    const lock = await locks.acquire('patient', { waitMs: Number.POSITIVE_INFINITY });
    for (const ttlMs of [19, Number.NaN, 1e12]) await expect(lock.renew(ttlMs)).rejects.toMatchObject(refused);
    expect(await lock.renew(20)).toBe('renewed');
    await lock.release();
    await redis.connection.client.flushall();
  });
});
