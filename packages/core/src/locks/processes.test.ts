import { afterAll, beforeAll, describe, it } from 'vitest';
import { contendInProcesses } from '../testing/locks/processes.ts';
import { startTestRedis, type TestRedis } from '../testing/scheduler.ts';
import { Locks } from './locks.ts';
import { RedisLockStore } from './redis/redis-lock-store.ts';

describe('a lock in Redis that several processes want', () => {
  let redis: TestRedis;
  let store: RedisLockStore;
  beforeAll(async () => {
    redis = await startTestRedis();
    store = new RedisLockStore(redis.connection);
  });
  afterAll(async () => {
    await store.close();
    await redis.stop();
  });

  it('passes the dead and the frozen by, and refuses by its fence what the frozen one writes when it wakes', async () => {
    await contendInProcesses({ kind: 'redis', url: redis.server.url, locks: new Locks({ store }), ttlMs: 500, aliveMs: 600 });
  }, 60_000);
});
