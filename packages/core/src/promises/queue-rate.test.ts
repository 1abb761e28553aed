import { afterEach, describe, expect, it } from 'vitest';
import { Queue } from '../queue/queue.ts';
import { permitScript } from '../scripts/permit.ts';
import { type TestScheduler, until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite({ appendfsync: 'always' });
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const SLOTS = 5;
const SETTINGS = { timelines: true, leaseMs: 1_000 };
/** What the machine may take for everything but waiting for permits. */
const SLACK_MS = 2_500;

/** When each run began, by Redis's clock, in order. */
async function startsOf(scheduler: TestScheduler, ids: readonly string[]): Promise<number[]> {
  const timelines = await Promise.all(ids.map((id) => scheduler.inspector.events(id)));
  return timelines
    .flat()
    .flatMap(({ event, at }) => (event === 'claimed' ? [at] : []))
    .sort((a, b) => a - b);
}

/** The most starts in any span. */
function mostIn(starts: readonly number[], spanMs: number): number {
  return Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + spanMs).length));
}

async function submitAll(scheduler: TestScheduler, count: number, options: object = {}): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => scheduler.submit(options)));
}

async function allDone(scheduler: TestScheduler, count: number, withinMs: number): Promise<void> {
  await until('all are done', async () => ((await scheduler.inspector.counts()).completed ?? 0) === count, withinMs);
}

describe('a rate over a whole queue', () => {
  it.each([
    ['all eight shards have work', {}],
    ['only one shard has work', { concurrencyKey: 'one shard', concurrencyLimit: 1_000 }],
  ])(
    'bounds the starts in any span and gives the whole of it, while %s and three processes share it',
    async (_, options) => {
      const rate = { count: 60, perMs: 2_000 };
      const { scheduler } = await suite.open({ shards: 8, settings: SETTINGS });
      await scheduler.queue.setRate(rate);
      const ids = await submitAll(scheduler, 180, options);
      const { url } = suite.redis.server;
      await Promise.all([1, 2, 3].map(() => workshop.process(scheduler, url, { slots: SLOTS })));
      await allDone(scheduler, ids.length, 30_000);
      const starts = await startsOf(scheduler, ids);
      expect(starts).toHaveLength(ids.length);
      // A claim that the machine held up for over a fiftieth of the span is counted late: one of each worker at most.
      expect(mostIn(starts, rate.perMs)).toBeLessThanOrEqual(rate.count + 3 * SLOTS);
      const took = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
      expect(took).toBeGreaterThan(2 * rate.perMs - 1);
      expect(took).toBeLessThan(2 * 1.04 * rate.perMs + SLACK_MS);
    },
    60_000,
  );

  it('holds through the death of a worker and of Redis, and nobody keeps what the dead had', async () => {
    const rate = { count: 20, perMs: 2_000 };
    const { scheduler } = await suite.open({ shards: 8, settings: SETTINGS });
    await scheduler.queue.setRate(rate);
    const ids = await submitAll(scheduler, 60);
    const { server } = suite.redis;
    const workers = await Promise.all([1, 2].map(() => workshop.process(scheduler, server.url, { slots: SLOTS })));
    await until('the first span is spent', async () => ((await scheduler.inspector.counts()).completed ?? 0) >= rate.count);
    await workers[0]?.kill9();
    await server.kill9();
    await server.restart();
    await until('it is back', () => Promise.resolve(suite.connection.isUp()));
    expect(await scheduler.queue.rate()).toEqual(rate);
    await allDone(scheduler, ids.length, 30_000);
    const starts = await startsOf(scheduler, ids);
    expect(mostIn(starts, rate.perMs)).toBeLessThanOrEqual(rate.count + 2 * SLOTS);
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeLessThan(2 * 1.04 * rate.perMs + SLACK_MS + SETTINGS.leaseMs);
  }, 60_000);

  it('that is raised or taken away reaches workers that wait for a day to pass', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    await scheduler.queue.setRate({ count: 3, perMs: 86_400_000 });
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 2 });
    await submitAll(scheduler, 9);
    await allDone(scheduler, 3, 5_000);
    await scheduler.queue.setRate({ count: 5, perMs: 86_400_000 });
    await allDone(scheduler, 5, 2_000);
    await scheduler.queue.setRate(null);
    await allDone(scheduler, 9, 2_000);
  });

  it('is waited for at a known time, not by asking again and again', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const { client } = suite.connection;
    await scheduler.queue.setRate({ count: 2, perMs: 3_000 });
    await submitAll(scheduler, 4);
    const asked = await scheduler.inspector.now();
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 2 });
    await allDone(scheduler, 2, 5_000);
    const calls = async (): Promise<number> => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
    // The ends of the two have been told and it has asked for more, in vain.
    await until('it waits', async () => {
      await client.config('RESETSTAT');
      const before = await scheduler.inspector.now();
      await until('a twentieth of the span has gone', async () => (await scheduler.inspector.now()) > before + 150);
      return (await calls()) === 0;
    });
    expect(await scheduler.inspector.now()).toBeLessThan(asked + 3_000);
    await allDone(scheduler, 4, 5_000);
    // Two permits, two claims at most, and the ends of two runs.
    expect(await calls()).toBeLessThanOrEqual(8);
  });

  it('keeps the order of what it holds back, and holds no other queue of the same worker back', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    const { scheduler: free } = await suite.open({ shards: 4 });
    await scheduler.queue.setRate({ count: 2, perMs: 60_000 });
    const ids: string[] = [];
    for (const priority of [500, 400, 300, 200, 100]) ids.push(await scheduler.submit({ priority }));
    await submitAll(free, 50, { priority: 900 });
    const queues = await Promise.all([scheduler, free].map((one) => Queue.open(suite.connection, one.queue.name)));
    await workshop.worker(scheduler, suite.redis.server.url, { queues, handlers: { work: () => Promise.resolve('ok') }, slots: 8 });
    await allDone(free, 50, 5_000);
    await allDone(scheduler, 2, 5_000);
    const states = (await scheduler.inspector.getMany(ids)).map((task) => task?.state);
    expect(states).toEqual(['pending', 'pending', 'pending', 'completed', 'completed']);
  });

  it('that is not set costs no call', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    await suite.connection.client.script('FLUSH');
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 8 });
    await submitAll(scheduler, 50);
    await allDone(scheduler, 50, 5_000);
    expect(await suite.connection.client.script('EXISTS', permitScript.sha)).toEqual([0]);
  });
});
