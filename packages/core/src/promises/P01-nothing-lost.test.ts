import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite({ appendfsync: 'always' });
const workshop = new Workshop();
afterEach(() => workshop.sweep());

it('P1: every task that submit answered for ends once, through kill -9 of workers and of Redis, over 8 shards', async () => {
  const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: 500, crashBudget: 100 } });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  const start = (): Promise<unknown> => workshop.process(scheduler, url, { slots: 4 });
  const workers = [await workshop.process(scheduler, url, { slots: 4 }), await workshop.process(scheduler, url, { slots: 4 })];
  const answered: string[] = [];
  const submitting = (async () => {
    for (let index = 0; index < 200; index++) {
      answered.push((await scheduler.queue.submit('slow', { file: journal.file, ms: index % 5 })).id);
    }
  })();
  await until('work is under way', () => Promise.resolve(answered.length > 40));
  await workers[0]?.kill9();
  await start();
  await until('more is under way', () => Promise.resolve(answered.length > 80));
  await suite.redis.server.kill9();
  await suite.redis.server.restart();
  await until('more is under way', () => Promise.resolve(answered.length > 140));
  await workers[1]?.kill9();
  await start();
  await submitting;
  expect(new Set(answered).size).toBe(200);
  await until('all have ended', async () => (await scheduler.inspector.counts()).completed === 200, 15_000);
  const states = (await scheduler.inspector.getMany(answered)).map((task) => task?.state);
  expect(new Set(states)).toEqual(new Set(['completed']));
  const ends = (await journal.read()).filter((moment) => moment.word === 'end').map((moment) => moment.id);
  // At least once, never fewer.
  expect(new Set(ends)).toEqual(new Set(answered));
}, 40_000);

it('P1: a task is in exactly one state after every single command, and its record is found under its id', async () => {
  const { scheduler, given } = await suite.open();
  await given.oneOfEach();
  // `faultsOf` after the test checks each place against each record.
  expect(Object.values((await scheduler.world()).records).length).toBe(10);
});
