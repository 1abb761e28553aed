import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';
import type { TaskContext } from '../worker/handler.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

it('P10: the clock starts with the run, not with the submission', async () => {
  const { scheduler } = await suite.open();
  const { id } = await scheduler.queue.submit('slow', { ms: 10 }, { timeoutMs: 2_000 });
  const { key, field } = scheduler.recordAt(id);
  const packed = await suite.connection.client.hgetBuffer(key, field);
  if (packed === null) throw new Error('the record is gone');
  // It has been waiting for an hour (`created` and `since`, rules/record.ts).
  for (const at of [24, 30]) packed.writeUIntBE(packed.readUIntBE(at, 6) - 3_600_000, at, 6);
  await suite.connection.client.hset(key, field, packed);
  await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
  await until('it is done', async () => (await scheduler.state(id)) === 'completed');
});

it.each(['wait', 'forever', 'deaf'])(
  'P10: a run past its time (%s) is stopped, counted as an attempt, and only then tried again',
  async (type) => {
    const { scheduler } = await suite.open();
    await workshop.chores(scheduler, suite.redis.server.url, 10);
    const journal = await workshop.journal();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(2), slots: 2, random: () => 0 });
    const { id } = await scheduler.queue.submit(type, { file: journal.file }, { timeoutMs: 150, maxRetries: 1 });
    await until('it is dead', async () => (await scheduler.state(id)) === 'dead_letter');
    expect(await scheduler.get(id)).toMatchObject({ attempts: 2, crashes: 0, errors: [{ code: 'timeout' }, { code: 'timeout' }] });
    const begins = (await journal.read()).filter((moment) => moment.word === 'begin');
    expect(begins.map((moment) => moment.fence)).toEqual([1, 2]);
    // Its time began before its handler did, so only the order is exact: the first had ended when the second began.
    const noted = (await journal.read()).map((moment) => `${moment.word} ${moment.fence}`);
    expect(noted).toEqual(type === 'wait' ? ['begin 1', 'end 1', 'begin 2', 'end 2'] : ['begin 1', 'begin 2']);
  },
);

it.each(['forever', 'deaf'])('P10: the slot of a run past its time (%s) is free again within two seconds', async (type) => {
  const { scheduler } = await suite.open();
  const { worker, log } = await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
  const { id } = await scheduler.queue.submit(type, {}, { timeoutMs: 150, maxRetries: 0 });
  await until('it runs', () => Promise.resolve(log.of('lock acquired').length === 1));
  await until('its slot is free', () => Promise.resolve(worker.busy === 0), 150 + 2_000);
  const next = await scheduler.queue.submit('work', 'next');
  await until('the next is done by a fresh thread', async () => (await scheduler.state(next.id)) === 'completed');
  expect(await scheduler.get(id)).toMatchObject({ state: 'dead_letter', errors: [{ code: 'timeout' }] });
});

it('P10: a handler that beats its limit is not touched, and its timer does not outlive it', async () => {
  const { scheduler } = await suite.open();
  await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
  const quick = await scheduler.queue.submit('slow', { ms: 5 }, { timeoutMs: 200 });
  await until('it is done', async () => (await scheduler.state(quick.id)) === 'completed');
  const longer = await scheduler.queue.submit('slow', { ms: 400 }, { timeoutMs: 5_000 });
  await until('the next is done', async () => (await scheduler.state(longer.id)) === 'completed');
  expect((await scheduler.get(longer.id)).errors).toEqual([]);
});

it('P10: a handler in process that heeds no signal has the result accepted that it returns after its time', async () => {
  const { scheduler } = await suite.open();
  const deaf = ({ signal }: TaskContext): Promise<string> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }));
  await workshop.worker(scheduler, suite.redis.server.url, { handlers: { deaf } });
  const { id } = await scheduler.queue.submit('deaf', null, { timeoutMs: 20, maxRetries: 0 });
  await until('it has ended', async () => (await scheduler.get(id)).finishedAt !== null);
  expect(await scheduler.get(id)).toMatchObject({ state: 'completed', attempts: 0, errors: [] });
  expect(await scheduler.inspector.result(id)).toMatchObject({ value: '"late"' });
});
