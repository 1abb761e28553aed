import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';

const suite = schedulerSuite({ appendfsync: 'always' });
const workshop = new Workshop();
afterEach(() => workshop.sweep());

const BACK_WITHIN_MS = 2_000;

describe('P13: Redis comes and goes, nothing of ours is restarted', () => {
  it('after kill -9 and a restart everything consumes again within two seconds, and what was answered is there', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const { server } = suite.redis;
    const journal = await workshop.journal();
    const worker = await workshop.process(scheduler, server.url, { slots: 2, threads: true });
    const { worker: local } = await workshop.worker(scheduler, server.url, { executor: threads(1) });
    const running = await scheduler.queue.submit('slow', { file: journal.file, ms: 700 });
    await journal.until('begin');
    const waiting = await Promise.all(
      Array.from({ length: 20 }, () => scheduler.queue.submit('slow', { file: journal.file, ms: 5 }, { priority: 500 })),
    );
    await server.kill9();
    await until('the loss is noticed', () => Promise.resolve(!suite.connection.isUp()));
    await server.restart();
    const back = performance.now();
    await until('it consumes again', async () => ((await scheduler.inspector.counts()).completed ?? 0) > 0, BACK_WITHIN_MS);
    const next = await scheduler.queue.submit('work', { file: journal.file }, { priority: 1 });
    await until('new work is done', async () => (await scheduler.state(next.id)) === 'completed', BACK_WITHIN_MS);
    expect(performance.now() - back).toBeLessThan(BACK_WITHIN_MS);
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 22);
    for (const { id } of [running, ...waiting])
      expect(await scheduler.get(id)).toMatchObject({ state: 'completed', crashes: 0, attempts: 0 });
    expect([worker.exitCode, local.busy]).toEqual([null, 0]);
  }, 30_000);

  it('after SCRIPT FLUSH in the middle of work not one call fails', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const { log } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 4 });
    const { log: chores } = await workshop.chores(scheduler, suite.redis.server.url);
    const submitting: Promise<unknown>[] = [];
    for (let index = 0; index < 200; index++) {
      submitting.push(scheduler.submit());
      if (index % 20 === 0) await suite.connection.client.script('FLUSH');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(submitting);
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 200);
    expect([...log.lines, ...chores.lines].filter((line) => 'err' in line)).toEqual([]);
    expect((await scheduler.inspector.totals()).completed).toBe(200);
  });

  it('after Redis has stood still for three seconds everything consumes within two, and no crash is counted', async () => {
    const { scheduler } = await suite.open({ shards: 8, settings: { leaseMs: 1_500 } });
    const { server } = suite.redis;
    const journal = await workshop.journal();
    const worker = await workshop.process(scheduler, server.url, { slots: 4, periodMs: 200 });
    await workshop.chores(scheduler, server.url, 200);
    const running = await Promise.all([1, 2].map(() => scheduler.queue.submit('slow', { file: journal.file, ms: 4_500 })));
    await journal.until('begin', 2);
    server.pause();
    const stopped = performance.now();
    await until('three seconds have gone by', () => Promise.resolve(performance.now() - stopped > 3_000));
    server.resume();
    const next = await scheduler.queue.submit('work', null);
    await until('it consumes again', async () => (await scheduler.state(next.id)) === 'completed', BACK_WITHIN_MS);
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 3);
    for (const { id } of running) expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0, attempts: 0 });
    expect((await scheduler.inspector.totals()).crashed ?? 0).toBe(0);
    expect(worker.of('lease lost')).toEqual([]);
  }, 30_000);

  it('says that it is away while it is, and that it is back', async () => {
    const { server } = suite.redis;
    const heard: boolean[] = [];
    const stop = suite.connection.onAvailability((up) => heard.push(up));
    await server.kill9();
    await until('the loss is noticed', () => Promise.resolve(!suite.connection.isUp()));
    await server.restart();
    await until('it is back', () => Promise.resolve(suite.connection.isUp()), BACK_WITHIN_MS);
    stop();
    expect(heard).toEqual([false, true]);
  });

  it('a claim that fails is tried again within the two seconds, though nothing wakes the worker', async () => {
    const { scheduler } = await suite.open();
    const { client } = suite.connection;
    // A head that no script can read makes each claim fail, as a failing node would.
    const id = await scheduler.submit();
    const { key, field } = scheduler.recordAt(id);
    const packed = await client.hgetBuffer(key, field);
    if (packed === null) throw new Error('the record is gone');
    await client.hset(key, field, 'broken');
    const { log } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') } });
    await until('a claim has failed', () => Promise.resolve(log.lines.some((line) => 'err' in line)));
    await client.hset(key, field, packed);
    await until('it is done', async () => (await scheduler.state(id)) === 'completed', BACK_WITHIN_MS);
  });
});
