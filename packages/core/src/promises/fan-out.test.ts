import { afterEach, expect, it } from 'vitest';
import { feedChannel } from '../redis/keys.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const PAGES = 2_500;

it('a process that is killed in the midst of its fan-out neither doubles nor loses a child, and the parent is assembled once', async () => {
  const { scheduler } = await suite.open({ shards: 1, settings: { leaseMs: 500 } });
  const { server } = suite.redis;
  const first = await workshop.process(scheduler, server.url, { slots: 1 });
  // As soon as some of its children are there Redis stands still, so that it dies between two of its calls.
  const subscriber = suite.connection.subscriber();
  let stopped = false;
  const midst = new Promise<void>((resolve) => {
    subscriber.on('message', (_, message: string) => {
      if (stopped || !message.startsWith('fanned_out ')) return;
      // Once: what was said before it stood still is heard when it goes on, and must not stop it again.
      stopped = true;
      server.pause();
      resolve();
    });
  });
  await subscriber.subscribe(feedChannel(scheduler.shard.keys.base));
  const { id } = await scheduler.queue.submit('document', { pages: PAGES });
  await midst;
  await first.kill9();
  server.resume();
  subscriber.disconnect();
  const born = (await scheduler.inspector.totals())['child:submitted'] ?? 0;
  expect(born).toBeGreaterThan(0);
  expect(born).toBeLessThan(PAGES);
  expect(await scheduler.state(id)).toBe('processing');

  await workshop.process(scheduler, server.url, { slots: 100 });
  await until('it is assembled', async () => (await scheduler.state(id)) === 'completed', 15_000);
  expect(await scheduler.get(id)).toMatchObject({ crashes: 1, attempts: 0, children: { total: PAGES, completed: PAGES, failed: 0 } });
  expect(await scheduler.inspector.totals()).toMatchObject({
    'child:submitted': PAGES,
    'child:completed': PAGES,
    submitted: 1,
    completed: 1,
  });
  expect(await scheduler.inspector.counts()).toMatchObject({ completed: PAGES + 1 });
}, 40_000);
