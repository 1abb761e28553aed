import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connectRedis } from '../../redis/connection.ts';
import { lockKeys } from '../../redis/keys.ts';
import { startTemporaryRedisServer, type TemporaryRedisServer } from '../../redis-server/index.ts';
import { startTestCluster } from '../../testing/cluster.ts';
import { EVERY_ABILITY, PATIENT_MS, type StoreBench } from '../../testing/locks/bench.ts';
import { lockConformance } from '../../testing/locks/conformance.ts';
import { until } from '../../testing/scheduler.ts';
import { Locks } from '../locks.ts';
import { LockServer } from './lock-server.ts';
import { RedisLockStore } from './redis-lock-store.ts';

function benchAt(url: string, servers: { restart(): Promise<void>; stop(): Promise<void> }): StoreBench {
  const own = connectRedis(url);
  return {
    noticeMs: 1_500,
    open: async (patient) => {
      const connection = connectRedis(url);
      const store = new RedisLockStore(connection, patient === true ? { aliveMs: PATIENT_MS } : {});
      const kill = async (): Promise<void> => {
        await store.close();
        await connection.close();
      };
      return { store, kill, close: kill };
    },
    restart: async () => {
      await servers.restart();
      await own.client.ping();
    },
    steal: async (name) => {
      await own.client.del(lockKeys(name).lock);
    },
    stop: async () => {
      await own.close();
      await servers.stop();
    },
  };
}

lockConformance('Redis', EVERY_ABILITY, async () => {
  // It keeps nothing on disk: fences must rise all the same.
  const server = await startTemporaryRedisServer();
  return benchAt(server.url, server);
});

lockConformance('Redis Cluster', EVERY_ABILITY, async () => {
  const cluster = await startTestCluster(3);
  const restart = async (): Promise<void> => {
    for (const node of cluster.nodes) await node.client.flushall();
  };
  return benchAt(cluster.url, { restart, stop: () => cluster.stop() });
});

describe('locks in Redis', () => {
  let server: TemporaryRedisServer;
  let connection: Connection;
  let store: RedisLockStore;
  let locks: Locks;
  beforeAll(async () => {
    server = await startTemporaryRedisServer({ appendfsync: 'always' });
    connection = connectRedis(server.url);
    store = new RedisLockStore(connection);
    locks = new Locks({ store });
  });
  afterAll(async () => {
    await store.close();
    await connection.close();
    await server.stop();
  });

  it('are never without a TTL, and neither is anything beside them', async () => {
    const first = await locks.acquire('ttl', { ttlMs: 5_000, reentrant: true });
    const second = await locks.acquire('ttl', { ttlMs: 60_000, reentrant: true });
    const abort = new AbortController();
    const waiting = locks.acquire('ttl', { signal: abort.signal, fair: true }).catch(() => null);
    await until('it waits', async () => (await locks.inspect('ttl')).waiting === 1);
    await first.renew(1_000);
    const keys = Object.values(lockKeys('ttl'));
    const ttls = await Promise.all(keys.map((key) => connection.client.pttl(key)));
    for (const ttl of ttls) expect(ttl).toBeGreaterThan(0);
    // Neither a second taking nor a renewal shortens what was granted for longer.
    expect(ttls[0]).toBeGreaterThan(50_000);
    await second.release();
    expect(await connection.client.pttl(lockKeys('ttl').lock)).toBeGreaterThan(0);
    abort.abort();
    await waiting;
    await first.release();
    expect(await connection.client.exists(...keys.filter((key) => !key.endsWith(':fence')))).toBe(0);
  });

  it('do not count the time that it takes to connect into a TTL', async () => {
    const pid = Number(/process_id:(\d+)/.exec(await connection.client.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    const fresh = connectRedis(server.url);
    const taking = new Locks({ store: new RedisLockStore(fresh) }).tryAcquire('fresh', { ttlMs: 50 });
    // Three times the TTL goes by before anybody can connect.
    setTimeout(() => process.kill(pid, 'SIGCONT'), 150);
    const lock = await taking;
    expect(lock).not.toBeNull();
    await lock?.release();
    await fresh.close();
  });

  it('wake a waiter also where the one that was woken gives up, and another was quicker than both', async () => {
    const patient = new Locks({ store: new RedisLockStore(connection, { aliveMs: PATIENT_MS }) });
    const abort = new AbortController();
    // Nobody's TTL is over, and nobody looks again by himself, before this test is.
    const ttlMs = 120_000;
    const held = await locks.acquire('overtaken', { ttlMs });
    const first = patient.acquire('overtaken', { ttlMs, signal: abort.signal }).catch(() => null);
    await until('one waits', async () => (await locks.inspect('overtaken')).waiting === 1);
    const second = patient.acquire('overtaken', { ttlMs, waitMs: 5_000 });
    await until('two wait', async () => (await locks.inspect('overtaken')).waiting === 2);
    // The first is woken and leaves, behind another who was quicker: the second must be told when that one ends.
    const both = Promise.all([held.release(), locks.tryAcquire('overtaken', { ttlMs })]);
    abort.abort(new Error('enough'));
    const [, quicker] = await both;
    expect(quicker).not.toBeNull();
    await first;
    await quicker?.release();
    await (await second).release();
  });

  it('can be read by a person, as fence, holder and acquisitions', async () => {
    const lock = await locks.acquire('readable', { reentrant: true });
    expect(await connection.client.get('lock:name:{readable}')).toMatch(new RegExp(`^${lock.fence} ${locks.holder} \\w+\\.\\w+$`));
    const waiting = locks.acquire('readable');
    await until('it has a line', async () => (await connection.client.get('lock:name:{readable}'))?.startsWith(`${lock.fence}+ `));
    expect(await locks.inspect('readable')).toMatchObject({ fence: lock.fence, count: 1, waiting: 1 });
    await lock.release();
    await (await waiting).release();
  });

  it('give the same answer to an acquisition that is sent again after a lost reply', async () => {
    const request = { name: 'again', holder: 'one', ttlMs: 5_000, fair: false };
    const grant = await store.tryAcquire(request);
    if (grant === null) throw new Error('it was not free');
    const again = await new LockServer(connection).take(request, grant.id);
    expect(again).toEqual({ word: 'granted', fence: grant.fence, count: 1 });
    expect(await store.release(grant)).toBe('released');
  });

  it('keep waiters through kill -9 of Redis, and the lock with its fence when it keeps its data', async () => {
    const held = await locks.acquire('restart', { ttlMs: 20_000 });
    const other = new Locks({ store });
    const waiting = other.acquire('restart');
    await until('it waits', async () => (await locks.inspect('restart')).waiting === 1);
    await server.kill9();
    await until('the loss is noticed', async () => !connection.isUp());
    await server.restart();
    expect(await held.renew()).toBe('renewed');
    expect(await locks.inspect('restart')).toMatchObject({ held: true, fence: held.fence });
    await held.release();
    const next = await waiting;
    expect(Number(next.fence)).toBeGreaterThan(Number(held.fence));
    await next.release();
  });

  it('give up in time while Redis is away, and leave nothing behind when it is back', async () => {
    await server.kill9();
    await until('the loss is noticed', async () => !connection.isUp());
    const from = performance.now();
    await expect(locks.tryAcquire('away', { ttlMs: 200 })).rejects.toMatchObject({ code: 'lock_store_unavailable' });
    await expect(locks.acquire('gone', { waitMs: 200, ttlMs: 60_000 })).rejects.toMatchObject({ code: 'lock_contention' });
    expect(performance.now() - from).toBeLessThan(3_000);
    await server.restart();
    await until('nothing is left', async () => {
      const views = await Promise.all(['away', 'gone'].map((name) => locks.inspect(name)));
      return views.every((view) => !view.held && view.waiting === 0);
    });
  });

  it('outlive a lost script cache', async () => {
    await connection.client.script('FLUSH');
    const lock = await locks.acquire('flushed');
    await connection.client.script('FLUSH');
    expect(await lock.renew()).toBe('renewed');
    await connection.client.script('FLUSH');
    expect(await lock.release()).toBe('released');
  });

  it('raise the fence above the last though the clock stands still or goes back', async () => {
    const ahead = 9_000_000_000_000_000 - 1_000;
    await connection.client.set(lockKeys('ahead').fence, String(ahead));
    const fences: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      await locks.withLock('ahead', (_, { fence }) => {
        fences.push(fence);
      });
    }
    expect(fences).toEqual([ahead + 1, ahead + 2, ahead + 3]);
  });
});
