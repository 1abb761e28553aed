import { connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StoreBench } from '../../testing/locks/bench.ts';
import { layCable } from '../../testing/locks/cable.ts';
import { lockConformance } from '../../testing/locks/conformance.ts';
import { contendInProcesses } from '../../testing/locks/processes.ts';
import { rabbitServer, startTestBroker, type TestBroker } from '../../testing/locks/rabbitmq-broker.ts';
import { until } from '../../testing/scheduler.ts';
import { Locks } from '../locks.ts';
import { RabbitLockStore } from './rabbit-lock-store.ts';

const ABILITIES = { risingFence: true, fair: true, sharedView: false, list: false, holderAcrossProcesses: false };

/** One for all tests of this file: it takes longer to start than most of them to run. */
let starting: Promise<TestBroker> | null = null;
const sharedBroker = (): Promise<TestBroker> => (starting ??= startTestBroker());
afterAll(async () => (await starting)?.stop(), 60_000);

async function rabbitBench(): Promise<StoreBench> {
  const broker = await sharedBroker();
  return {
    noticeMs: 1_000,
    open: async () => {
      const cable = await layCable(broker.port);
      const store = new RabbitLockStore({ url: `amqp://guest:guest@127.0.0.1:${cable.port}/` });
      return {
        store,
        kill: () => cable.cut(),
        close: async () => {
          await store.close();
          await cable.cut();
        },
      };
    },
    restart: () => broker.restart(),
    steal: () => broker.closeConnections(),
    stop: () => Promise.resolve(),
  };
}

const installed = (await rabbitServer()) !== null;
if (!installed) console.warn('RabbitMQ is not installed (Debian: apt-get install rabbitmq-server): its store of locks is not tested here.');

describe.runIf(installed)('on a RabbitMQ of its own', () => {
  lockConformance('RabbitMQ', ABILITIES, rabbitBench);
});

describe.runIf(installed)('a broker that comes and goes', () => {
  let broker: TestBroker;
  const stores: RabbitLockStore[] = [];
  beforeAll(async () => {
    broker = await sharedBroker();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  const party = (): Locks => {
    const store = new RabbitLockStore({ url: broker.url, heartbeatSeconds: 1 });
    stores.push(store);
    return new Locks({ store });
  };

  /** One holds and two wait when the broker goes away and comes back. */
  const interrupt = async (name: string, goAndCome: () => Promise<void>): Promise<void> => {
    const [one, two, three] = [party(), party(), party()];
    const held = await one.acquire(name, { ttlMs: 60_000 });
    const { signal } = held;
    const inside: string[] = [];
    const fences = [Number(held.fence)];
    const wait = (locks: Locks): Promise<void> =>
      locks.withLock(
        name,
        async (_, { fence }) => {
          inside.push('in');
          fences.push(Number(fence));
          await new Promise((resolve) => setImmediate(resolve));
          inside.push('out');
        },
        { waitMs: 60_000 },
      );
    const waiting = Promise.all([wait(two), wait(three)]);
    await until('both wait', async () => (await one.inspect(name)).waiting === 2);
    await goAndCome();
    await waiting;
    expect(signal.reason).toMatchObject({ code: 'lock_lost' });
    expect(inside).toEqual(['in', 'out', 'in', 'out']);
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
  };

  it('gives the lock to the waiters in turn after a restart and after kill -9, tells the holder, and keeps fences rising', async () => {
    await interrupt('interrupted', () => broker.restart());
    // A quorum queue that is younger than the broker's last sync of its directory of queues does not survive kill -9; this one is older.
    await interrupt('interrupted', () => broker.kill9().then(() => broker.start()));
  }, 120_000);

  it('passes the dead and the frozen by among several processes, and refuses what the frozen one writes by its fence', async () => {
    await contendInProcesses({ kind: 'rabbitmq', url: broker.url, locks: party(), ttlMs: 1_000 });
  }, 60_000);

  it('grants a TTL of 50 ms on a connection and a queue that are made for it', async () => {
    const lock = await party().tryAcquire('first-and-short', { ttlMs: 50 });
    expect(lock?.expiresAt).toBeGreaterThan(Date.now());
    await lock?.release();
  });

  it('gives the lock on at once when the holder’s connection is closed, and tells the holder', async () => {
    const [one, two] = [party(), party()];
    const cable = await layCable(broker.port);
    const store = new RabbitLockStore({ url: `amqp://guest:guest@127.0.0.1:${cable.port}/` });
    stores.push(store);
    const held = await new Locks({ store }).acquire('killed', { ttlMs: 60_000 });
    const { signal } = held;
    const waiting = two.acquire('killed', { waitMs: 10_000 });
    await until('it waits', async () => (await one.inspect('killed')).waiting === 1);
    await cable.cut();
    const next = await waiting;
    await until('it is told', async () => signal.aborted);
    expect(Number(next.fence)).toBeGreaterThan(Number(held.fence));
    await next.release();
  });

  it('puts exactly one token in, however many come first at once', async () => {
    const all = Array.from({ length: 8 }, party);
    const tried = await Promise.all(all.map((locks) => locks.tryAcquire('fresh')));
    const held = tried.filter((lock) => lock !== null);
    expect(held).toHaveLength(1);
    const others = await Promise.all(all.map((locks) => locks.tryAcquire('fresh')));
    expect(others).toEqual(all.map(() => null));
    await held[0]?.release();
  });

  it('makes the queue anew when somebody deleted it', async () => {
    const locks = party();
    await (await locks.acquire('deleted')).release();
    const model = await connect(broker.url);
    await (await model.createChannel()).deleteQueue('galley.lock.deleted');
    await model.close();
    const lock = await locks.acquire('deleted', { waitMs: 5_000 });
    expect(await lock.release()).toBe('released');
  });

  it('refuses an address that is none, without showing its password, and a heartbeat that is none', () => {
    expect(() => new RabbitLockStore({ url: 'http://user:secret@host' })).toThrow(/^(?!.*secret).*amqp:/);
    expect(() => new RabbitLockStore({ url: 'amqp://host', heartbeatSeconds: 0.5 })).toThrow(/heartbeatSeconds is 0.5/);
  });
});
