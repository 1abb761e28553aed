import { connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StoreBench } from '../../testing/locks/bench.ts';
import { layCable } from '../../testing/locks/cable.ts';
import { lockConformance } from '../../testing/locks/conformance.ts';
import { rabbitServer, startTestBroker, type TestBroker } from '../../testing/locks/rabbitmq-broker.ts';
import { until } from '../../testing/scheduler.ts';
import { Locks } from '../locks.ts';
import { RabbitLockStore } from './rabbit-lock-store.ts';

const ABILITIES = { risingFence: true, fair: true, sharedView: false, list: false, holderAcrossProcesses: false };

async function rabbitBench(): Promise<StoreBench> {
  const broker: TestBroker = await startTestBroker();
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
    stop: () => broker.stop(),
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
    broker = await startTestBroker();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(() => broker.stop(), 60_000);
  const party = (): Locks => {
    const store = new RabbitLockStore({ url: broker.url, heartbeatSeconds: 1 });
    stores.push(store);
    return new Locks({ store });
  };

  it.each([
    ['restart', () => broker.restart()],
    ['kill-9', () => broker.kill9().then(() => broker.start())],
  ])(
    'gives the lock to the waiters in turn after a %s, tells the holder, and keeps fences rising',
    async (interruption, interrupt) => {
      const name = `locks.${interruption}`;
      await (await party().acquire(name)).release();
      // A quorum queue that is younger than the broker's last sync of its directory of queues does not survive kill -9.
      await broker.restart();
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
      await interrupt();
      await waiting;
      expect(signal.reason).toMatchObject({ code: 'lock_lost' });
      expect(inside).toEqual(['in', 'out', 'in', 'out']);
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b));
    },
    90_000,
  );

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

  it('refuses an address that is none, without showing its password', () => {
    expect(() => new RabbitLockStore({ url: 'http://user:secret@host' })).toThrow(/^(?!.*secret).*amqp:/);
  });
});
