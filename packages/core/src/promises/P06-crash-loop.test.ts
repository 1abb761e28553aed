import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

it('P6: a task that kills its worker process again and again is dead of crash_loop when its crash budget is spent, its retries untouched', async () => {
  const { scheduler } = await suite.open({ shards: 2, settings: { leaseMs: 200, crashBudget: 3 } });
  const { url } = suite.redis.server;
  // Under load passes come late, and a gap of over two periods forgives: not so short that each is one.
  await workshop.chores(scheduler, url, 500);
  const journal = await workshop.journal();
  const { id } = await scheduler.queue.submit('killProcess', { file: journal.file });
  for (let crash = 1; crash <= 3; crash++) {
    const victim = await workshop.process(scheduler, url, { chores: false });
    await victim.exit();
    await until('the crash is counted', async () => (await scheduler.get(id)).crashes === crash);
  }
  expect(await scheduler.get(id)).toMatchObject({ state: 'dead_letter', crashes: 3, attempts: 0 });
  expect(await scheduler.inspector.deadByCode()).toEqual({ crash_loop: 1 });
  expect((await journal.read()).map((moment) => moment.fence)).toEqual([1, 2, 3]);
});

it('P6: a thread that dies is a crash of its task alone, counted at once without waiting for the lease', async () => {
  const { scheduler } = await suite.open({ settings: { crashBudget: 2 } });
  const executor = threads(2);
  await workshop.worker(scheduler, suite.redis.server.url, { executor, slots: 2 });
  const [{ id: bad }, { id: good }] = await Promise.all([
    scheduler.queue.submit('exitThread', null),
    scheduler.queue.submit('slow', { ms: 300 }),
  ]);
  await until('it is dead', async () => (await scheduler.state(bad)) === 'dead_letter', 5_000);
  await until('the neighbour is done', async () => (await scheduler.state(good)) === 'completed');
  expect(await scheduler.get(bad)).toMatchObject({
    crashes: 2,
    attempts: 0,
    errors: [{ code: 'crash' }, { code: 'crash' }, { code: 'crash_loop' }],
  });
  expect(await scheduler.get(good)).toMatchObject({ crashes: 0, fence: 1 });
});

it('P6: a revival starts both counts clean: the whole budget is there again', async () => {
  const { scheduler, given } = await suite.open();
  const { id } = await given.crashLooped({ crashBudget: 2 });
  await given.claimed(id);
  await given.loseLease(id);
  expect(await scheduler.state(id)).toBe('dead_letter');
  await scheduler.queue.revive([id]);
  await given.claimed(id);
  await given.loseLease(id);
  expect(await scheduler.get(id)).toMatchObject({ state: 'pending', crashes: 1 });
});
