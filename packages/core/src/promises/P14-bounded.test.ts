import { afterEach, expect, it } from 'vitest';
import { deadLetterPlan } from '../operations/dead-letters.ts';
import { Operations } from '../operations/operations.ts';
import { failAll } from '../testing/batches.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

async function commands(): Promise<string[]> {
  const stats = await suite.connection.client.info('commandstats');
  return [...stats.matchAll(/cmdstat_([^:]+):/g)].map((match) => match[1] ?? '');
}

it('P14: past the depth limit submit answers queue_full with a wait, takes nothing, and takes again when there is room', async () => {
  const { scheduler, given } = await suite.open({ shards: 1, settings: { depthLimit: 10 } });
  await Promise.all(Array.from({ length: 10 }, () => scheduler.submit()));
  await expect(scheduler.submit()).rejects.toMatchObject({ code: 'queue_full', retryAfterMs: expect.any(Number) });
  const { tasks } = await scheduler.claim('w1', { limit: 1 });
  expect(tasks).toHaveLength(1);
  expect(await given.pending()).toBeTypeOf('string');
  await expect(scheduler.submit()).rejects.toMatchObject({ code: 'queue_full' });
});

it('P14: a depth limit is the whole queue’s: one shard may hold all of it, and fewer than there are shards', async () => {
  const { scheduler } = await suite.open({ shards: 8, settings: { depthLimit: 20 } });
  const keyed = await Promise.allSettled(Array.from({ length: 25 }, () => scheduler.submit({ concurrencyKey: 'one shard' })));
  expect(keyed.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  // Past the limit the other shards still take their even part.
  const rest = await Promise.allSettled(Array.from({ length: 40 }, () => scheduler.submit()));
  expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(7 * 2);

  const { scheduler: small } = await suite.open({ shards: 8, settings: { depthLimit: 3 } });
  const few = await Promise.allSettled(Array.from({ length: 8 }, () => small.submit()));
  expect(few.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
});

it('P14: a whole life of work uses no KEYS, no SCAN and no unbounded range', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  await suite.connection.client.config('RESETSTAT');
  await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 4 });
  await workshop.chores(scheduler, suite.redis.server.url);
  await Promise.all(Array.from({ length: 100 }, () => scheduler.submit()));
  await until('all are done', async () => (await scheduler.inspector.counts()).completed === 100);
  await until('chores have run', async () => (await commands()).includes('time'));
  const used = await commands();
  for (const command of ['keys', 'scan', 'smembers', 'flushall'])
    expect(used.filter((name) => name !== 'smembers' || command !== 'smembers')).not.toContain(command);
});

it('P14: retrying all dead letters is an operation in bounded steps with progress, over those dead before it began', async () => {
  const { scheduler, given } = await suite.open();
  const bury = async (count: number): Promise<string[]> => {
    await Promise.all(Array.from({ length: count }, () => scheduler.submit()));
    const { tasks } = await scheduler.claim('w1', { limit: count });
    const rows = tasks.map((task) => ({ id: task.id, fence: task.record.fence, class: 'permanent' as const }));
    for (let from = 0; from < rows.length; from += 100) await failAll(scheduler, 'w1', rows.slice(from, from + 100));
    return rows.map((row) => row.id);
  };
  const before = await bury(450);
  const taken = await given.deadLettered({ identity: ['a'], code: 'engine_failed' });
  await given.pending({ identity: ['a'] });
  const operations = new Operations(suite.connection);
  const steps: number[] = [];
  let later: string[] = [];
  const plan = await deadLetterPlan(scheduler.queue, 'retry', undefined, async (ids) => {
    steps.push(ids.length);
    const words = await scheduler.queue.revive(ids);
    // What dies while it works is left alone.
    if (later.length === 0) later = [(await given.deadLettered()).id];
    return words.map((word) => word === 'revived');
  });
  expect(plan.total).toBe(451);
  const id = await operations.begin(plan);
  const ended = await until('it is done', async () => {
    const operation = await operations.get(id);
    return operation?.state === 'done' ? operation : null;
  });
  expect(ended).toMatchObject({ done: 450, skipped: 1, total: 451 });
  expect(Math.max(...steps)).toBeLessThanOrEqual(200);
  const states = (await scheduler.inspector.getMany([...before, taken.id, ...later])).map((task) => task?.state);
  expect(states.filter((state) => state === 'pending')).toHaveLength(450);
  expect(states.slice(-2)).toEqual(['dead_letter', 'dead_letter']);
  await operations.stop();
});

it('P14: purging all of one code leaves the others, and leaves nothing of what it took', async () => {
  const { scheduler, given } = await suite.open();
  for (let index = 0; index < 5; index++) await given.deadLettered({ code: 'engine_failed' });
  const other = await given.deadLettered({ code: 'encrypted_document' });
  const operations = new Operations(suite.connection);
  const plan = await deadLetterPlan(scheduler.queue, 'purge', 'engine_failed', async (ids) =>
    (await scheduler.queue.purge(ids)).map((word) => word === 'purged'),
  );
  const id = await operations.begin(plan);
  await until('it is done', async () => (await operations.get(id))?.state === 'done');
  expect(await operations.get(id)).toMatchObject({ done: 5, skipped: 0, total: 5 });
  expect(Object.keys((await scheduler.world()).records)).toEqual([other.id]);
  await operations.stop();
});

it('P14: each script takes no more than its share, whatever waits', async () => {
  const { scheduler } = await suite.open();
  await Promise.all(Array.from({ length: 400 }, () => scheduler.submit()));
  expect((await scheduler.claim('w1', { limit: 100 })).tasks).toHaveLength(100);
  const { tasks } = await scheduler.claim('w1', { limit: 100 });
  for (const task of tasks) await scheduler.expireLease(task.id);
  expect(await scheduler.reap({ limit: 30 })).toHaveLength(30);
  for (const { id } of (await scheduler.claim('w2', { limit: 50 })).tasks)
    await scheduler.complete('w2', id, (await scheduler.get(id)).fence);
  expect(await scheduler.trim(-1, 20)).toBe(20);
});
