import { GalleyError } from '@galley/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { Feed, type FeedEvent, type FeedVerb } from '../feed.ts';
import { gates } from '../testing/gate-handlers.ts';
import { type TestScheduler, until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const RUNS = 20;

/** How many tasks each script call of this verb moved, once it has moved all. */
async function batchesOf(scheduler: TestScheduler, verb: FeedVerb, act: () => Promise<unknown>): Promise<number[]> {
  const heard: FeedEvent[] = [];
  const feed = new Feed(suite.connection, { onEvent: (event) => heard.push(event) });
  await feed.follow(scheduler.queue.layout);
  const sizes = (): number[] => heard.flatMap((event) => (event.verb === verb ? [event.taskIds.length] : []));
  await act();
  await until(`all are ${verb}`, () => Promise.resolve(sizes().reduce((sum, size) => sum + size, 0) === RUNS));
  feed.close();
  return sizes();
}

describe('reports of one turn of the event loop', () => {
  it('of errors travel in one call per shard, each with its own class, code and back-off', async () => {
    const { scheduler } = await suite.open();
    const ids = await Promise.all(Array.from({ length: RUNS }, (_, index) => scheduler.submit({}, index)));
    let running = 0;
    let fail = (): void => {};
    const together = new Promise<void>((resolve) => (fail = resolve));
    const handlers = {
      work: async ({ payload }: { payload: unknown }) => {
        running++;
        await together;
        throw new GalleyError(Number(payload) % 2 === 0 ? 'corrupt_document' : 'engine_failed', `no ${String(payload)}`);
      },
    };
    await workshop.worker(scheduler, suite.redis.server.url, { handlers, slots: RUNS });
    await until('all run', () => Promise.resolve(running === RUNS));
    const sizes = await batchesOf(scheduler, 'failed', () => Promise.resolve(fail()));
    expect(sizes.length).toBeLessThanOrEqual(2);
    const tasks = await scheduler.inspector.getMany(ids);
    expect(tasks.map((task) => [task?.state, task?.errors.map(({ code, message }) => `${code}: ${message}`)])).toEqual(
      ids.map((_, index) =>
        index % 2 === 0 ? ['dead_letter', [`corrupt_document: no ${index}`]] : ['retrying', [`engine_failed: no ${index}`]],
      ),
    );
  });

  it('of what is handed back travel in one call per shard', async () => {
    const { scheduler } = await suite.open();
    await Promise.all(Array.from({ length: RUNS }, () => scheduler.submit()));
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: RUNS });
    await until('all run', () => Promise.resolve(gate.running.size === RUNS));
    const sizes = await batchesOf(scheduler, 'released', () => worker.stop(0));
    expect(sizes.length).toBeLessThanOrEqual(2);
    expect((await scheduler.inspector.counts()).pending).toBe(RUNS);
  });
});
