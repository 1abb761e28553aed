import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connectRedis } from '../../redis/connection.ts';
import { lockKeys } from '../../redis/keys.ts';
import { startTemporaryRedisServer, type TemporaryRedisServer } from '../../redis-server/index.ts';
import { PATIENT_MS, type StoreBench } from '../../testing/locks/bench.ts';
import { lockConformance } from '../../testing/locks/conformance.ts';
import { until } from '../../testing/scheduler.ts';
import { Locks } from '../locks.ts';
import { MajorityLockStore } from './majority-lock-store.ts';

const ABILITIES = { risingFence: false, fair: false, sharedView: true, list: true, holderAcrossProcesses: true };

async function connectAll(servers: readonly TemporaryRedisServer[]): Promise<Connection[]> {
  const connections = servers.map((server) => connectRedis(server.url));
  await Promise.all(connections.map((connection) => connection.client.ping()));
  return connections;
}

async function majorityBench(): Promise<StoreBench> {
  const servers = await Promise.all([1, 2, 3].map(() => startTemporaryRedisServer()));
  const own = await connectAll(servers);
  return {
    noticeMs: 1_500,
    open: async (patient) => {
      const connections = await connectAll(servers);
      const store = new MajorityLockStore(connections, { serverTimeoutMs: 2_000, ...(patient === true ? { aliveMs: PATIENT_MS } : {}) });
      const kill = async (): Promise<void> => {
        await store.close();
        await Promise.all(connections.map((connection) => connection.close()));
      };
      return { store, kill, close: kill };
    },
    restart: async () => {
      for (const server of servers) await server.restart();
      await Promise.all(own.map((connection) => connection.client.ping()));
    },
    steal: async (name) => {
      await Promise.all(own.map((connection) => connection.client.del(lockKeys(name).lock)));
    },
    stop: async () => {
      await Promise.all(own.map((connection) => connection.close()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

lockConformance('Redis majority', ABILITIES, majorityBench);

describe('a majority of Redis servers', () => {
  let servers: TemporaryRedisServer[];
  let connections: Connection[];
  let locks: Locks;
  let other: Locks;
  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3].map(() => startTemporaryRedisServer()));
    connections = [...(await connectAll(servers)), ...(await connectAll(servers))];
    locks = new Locks({ store: new MajorityLockStore(connections.slice(0, 3)) });
    other = new Locks({ store: new MajorityLockStore(connections.slice(3)) });
  });
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all(servers.map((server) => server.stop()));
  });
  const down = (index: number): Promise<unknown> =>
    until('the loss is noticed', async () => !connections[index]?.isUp() && !connections[index + 3]?.isUp());

  it('is an odd number of at least three', () => {
    expect(() => new MajorityLockStore(connections.slice(0, 2))).toThrow(/odd number of servers from 3 up, not 2/);
    expect(() => new MajorityLockStore(connections.slice(0, 4))).toThrow(/not 4/);
  });

  it('goes on without a minority, with one holder at a time', async () => {
    const held = await locks.acquire('minority');
    await servers[0]?.kill9();
    await down(0);
    expect(await other.tryAcquire('minority')).toBeNull();
    expect(await held.renew()).toBe('renewed');
    expect(await held.release()).toBe('released');
    const next = await other.acquire('minority', { waitMs: 2_000 });
    expect(await locks.tryAcquire('minority')).toBeNull();
    expect(await next.release()).toBe('released');
    await servers[0]?.restart();
  });

  it('answers as soon as a majority has, while one server stands still and no one knows yet', async () => {
    const patient = new Locks({ store: new MajorityLockStore(connections.slice(0, 3), { serverTimeoutMs: 60_000 }) });
    await (await patient.acquire('still')).release();
    const pid = Number(/process_id:(\d+)/.exec((await connections[1]?.client.info('server')) ?? '')?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      // Whatever waited for all of them would wait for a minute.
      const lock = await patient.acquire('still', { ttlMs: 60_000, waitMs: 10_000 });
      expect(await patient.tryAcquire('still')).toBeNull();
      expect(await lock.renew()).toBe('renewed');
      expect(await patient.inspect('still')).toMatchObject({ held: true, holder: lock.holder });
      expect((await patient.list('stil?')).map((view) => view.name)).toEqual(['still']);
      const next = patient.acquire('still', { waitMs: 10_000 });
      await until('it waits', async () => (await patient.inspect('still')).waiting === 1);
      expect(await lock.release()).toBe('released');
      expect(await (await next).release()).toBe('released');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('grants nothing without a majority', async () => {
    await Promise.all([servers[0]?.kill9(), servers[1]?.kill9()]);
    await Promise.all([down(0), down(1)]);
    await expect(locks.tryAcquire('none')).rejects.toMatchObject({ code: 'lock_store_unavailable' });
    await expect(locks.acquire('none', { waitMs: 300 })).rejects.toMatchObject({ code: 'lock_contention' });
    // Nor is a lock called free: the servers that are away may have granted it.
    await expect(locks.inspect('none')).rejects.toMatchObject({ code: 'lock_store_unavailable' });
    await expect(locks.list()).rejects.toMatchObject({ code: 'lock_store_unavailable' });
    await Promise.all([servers[0]?.restart(), servers[1]?.restart()]);
    await until('nothing is left of it', async () => {
      const held = await Promise.all(connections.slice(0, 3).map((connection) => connection.client.exists(lockKeys('none').lock)));
      return held.every((count) => count === 0);
    });
    await (await other.acquire('none', { waitMs: 5_000 })).release();
  });

  it('takes a grant of a minority for none', async () => {
    const [first] = connections;
    await first?.client.set(lockKeys('split').lock, '1 somebody x.1', 'PX', 60_000);
    const held = await locks.tryAcquire('split');
    expect(held?.fence).toBeNull();
    expect(await locks.inspect('split')).toMatchObject({ held: true, holder: held?.holder, fence: null });
    await held?.release();
    await connections[1]?.client.set(lockKeys('split').lock, '1 somebody x.1', 'PX', 60_000);
    expect(await locks.tryAcquire('split')).toBeNull();
    expect(await connections[2]?.client.exists(lockKeys('split').lock)).toBe(0);
  });
});
