import { afterEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const LEASE_MS = 600;
const PERIOD_MS = 300;

it('P5: a task whose worker is killed is pending again within its lease and one reaper period, and another finishes it', async () => {
  const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: LEASE_MS } });
  const { url } = suite.redis.server;
  await workshop.chores(scheduler, url, PERIOD_MS);
  const journal = await workshop.journal();
  const doomed = await workshop.process(scheduler, url, { chores: false });
  const { id } = await scheduler.queue.submit('slow', { file: journal.file, ms: 60_000 });
  await journal.until('begin');
  const killed = performance.now();
  await doomed.kill9();
  await until('it is pending again', async () => (await scheduler.state(id)) === 'pending', 5_000);
  const took = performance.now() - killed;
  // A renewal may have come just before the kill, so the whole lease can still be ahead; 500 ms for this test's own looking.
  expect(took).toBeLessThan(LEASE_MS + PERIOD_MS + 500);
  expect(await scheduler.get(id)).toMatchObject({ crashes: 1, attempts: 0, errors: [{ code: 'crash' }] });
  expect((await scheduler.lock(id)).value).toBeNull();
  await scheduler.queue.cancel(id);
});

it('P5: a task is back at once when its worker process stops in order: no attempt, no crash, and the process exits by itself', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  const stopping = await workshop.process(scheduler, url, { graceMs: 50, threads: true });
  const { id } = await scheduler.queue.submit('wait', { file: journal.file });
  await journal.until('begin');
  const told = performance.now();
  stopping.signal('SIGTERM');
  await until('it is pending again', async () => (await scheduler.state(id)) === 'pending', 5_000);
  expect(performance.now() - told).toBeLessThan(1_500);
  expect(await stopping.exit()).toBe(0);
  expect(await scheduler.get(id)).toMatchObject({ crashes: 0, attempts: 0, errors: [] });
  await journal.until('end');
});

it('P5: a second SIGTERM hurries a worker whose grace period is long', async () => {
  const { scheduler } = await suite.open();
  const journal = await workshop.journal();
  const stopping = await workshop.process(scheduler, suite.redis.server.url, { graceMs: 60_000, threads: true });
  const { id } = await scheduler.queue.submit('forever', { file: journal.file });
  await journal.until('begin');
  stopping.signal('SIGTERM');
  await until('the first is heard', () => Promise.resolve(stopping.of('stopping').length === 1));
  stopping.signal('SIGTERM');
  expect(await stopping.exit()).toBe(0);
  expect(await scheduler.get(id)).toMatchObject({ state: 'pending', crashes: 0, attempts: 0 });
});

it('P5: leases that ran out while Redis stood still count no crash, and their runs go on', async () => {
  const { scheduler } = await suite.open({ shards: 2, settings: { leaseMs: LEASE_MS } });
  const { url } = suite.redis.server;
  await workshop.chores(scheduler, url, PERIOD_MS);
  const journal = await workshop.journal();
  const worker = await workshop.process(scheduler, url, { slots: 2, chores: true, periodMs: PERIOD_MS });
  const tasks = await Promise.all([1, 2].map(async () => (await scheduler.queue.submit('slow', { file: journal.file, ms: 3_500 })).id));
  await journal.until('begin', 2);
  suite.redis.server.pause();
  const frozen = performance.now();
  await until('two leases have gone by', () => Promise.resolve(performance.now() - frozen > 2 * LEASE_MS));
  suite.redis.server.resume();
  await until('all are done', async () => (await scheduler.inspector.counts()).completed === 2, 10_000);
  for (const id of tasks) expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0, attempts: 0, errors: [] });
  expect(worker.of('lease lost')).toEqual([]);
});

it('P5: however often Redis stands still, and whatever of ours lies in its socket then, no crash is counted', async () => {
  const { scheduler } = await suite.open({ settings: { leaseMs: 300 } });
  const { url } = suite.redis.server;
  await workshop.chores(scheduler, url, 10);
  let finish = (): void => undefined;
  const handlers = { work: () => new Promise<string>((resolve) => (finish = () => resolve('ok'))) };
  const { worker } = await workshop.worker(scheduler, url, { handlers });
  const id = await scheduler.submit();
  await until('it runs', () => Promise.resolve(worker.busy === 1));
  for (let freeze = 0; freeze < 6; freeze++) {
    suite.redis.server.pause();
    const from = performance.now();
    await until('its lease has gone by', () => Promise.resolve(performance.now() - from > 350));
    suite.redis.server.resume();
    await until('its lease is renewed', async () => (await scheduler.lock(id)).ttlMs > 200);
  }
  finish();
  await until('it is done', async () => (await scheduler.state(id)) === 'completed');
  expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0 });
});

it('P5: leases that ran out while the reaper’s own process was frozen count no crash when their holders still live', async () => {
  const { scheduler } = await suite.open({ settings: { leaseMs: LEASE_MS } });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  // The only reaper lives in the process that is frozen with its own run, as one machine that sleeps.
  const sleeper = await workshop.process(scheduler, url, { periodMs: PERIOD_MS });
  const { id } = await scheduler.queue.submit('slow', { file: journal.file, ms: 2_500 });
  await journal.until('begin');
  sleeper.signal('SIGSTOP');
  const frozen = performance.now();
  await until('two leases have gone by', () => Promise.resolve(performance.now() - frozen > 2 * LEASE_MS));
  sleeper.signal('SIGCONT');
  await until('it is done', async () => (await scheduler.state(id)) === 'completed', 10_000);
  expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0 });
});

it('P5: leases that ran out while Redis was away count no crash, also where a process begins in the moment that it is back', async () => {
  const { scheduler } = await suite.open({ shards: 2, settings: { leaseMs: LEASE_MS } });
  const { url } = suite.redis.server;
  const journal = await workshop.journal();
  const worker = await workshop.process(scheduler, url, { chores: false });
  const { id } = await scheduler.queue.submit('slow', { file: journal.file, ms: 4_000 });
  await journal.until('begin');
  for (let round = 0; round < 3; round++) {
    suite.redis.server.pause();
    const frozen = performance.now();
    await until('the lease has gone by', () => Promise.resolve(performance.now() - frozen > LEASE_MS + 50));
    // Its connection is made and its first pass done before the holder can renew.
    worker.signal('SIGSTOP');
    suite.redis.server.resume();
    await workshop.chores(scheduler, url, PERIOD_MS);
    for (let look = 0; look < 20; look++) await scheduler.inspector.now();
    worker.signal('SIGCONT');
    await until('the lease is renewed', async () => (await scheduler.lock(id)).ttlMs > LEASE_MS / 2);
  }
  await until('it is done', async () => (await scheduler.state(id)) === 'completed', 10_000);
  expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0, errors: [] });
});
