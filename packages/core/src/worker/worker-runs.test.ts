import { afterEach, describe, expect, it } from 'vitest';
import { gates } from '../testing/gate-handlers.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';
import { inProcess } from './executor.ts';
import { fanOut, type Handlers } from './handler.ts';
import { Worker } from './worker.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

describe('a run', () => {
  it('has its lease renewed for ten times its length while its handler computes in a thread', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 300 } });
    await workshop.chores(scheduler, suite.redis.server.url);
    const executor = threads(1);
    await workshop.worker(scheduler, suite.redis.server.url, { executor });
    const id = (await scheduler.queue.submit('spin', { ms: 3_000 })).id;
    const ttls: number[] = [];
    await until('it is done', async () => {
      const { ttlMs } = await scheduler.lock(id);
      if (ttlMs > 0) ttls.push(ttlMs);
      return (await scheduler.state(id)) === 'completed';
    });
    expect(await scheduler.get(id)).toMatchObject({ state: 'completed', fence: 1, crashes: 0, attempts: 0 });
    expect(Math.max(...ttls)).toBeLessThanOrEqual(300);
    expect(ttls.length).toBeGreaterThan(20);
  });

  it('of a short lease is renewed in time beside runs of long ones', async () => {
    const { scheduler: slow } = await suite.open({ settings: { leaseMs: 30_000 } });
    const { scheduler: quick } = await suite.open({ settings: { leaseMs: 300 } });
    await workshop.chores(quick, suite.redis.server.url);
    const gate = gates();
    const worker = new Worker({
      connection: suite.connection,
      queues: [slow.queue, quick.queue],
      executor: inProcess(gate.handlers),
      slots: 2,
    });
    await worker.start();
    try {
      const first = await slow.submit();
      await until('the long lease is held', () => Promise.resolve(gate.running.has(first)));
      const second = await quick.submit();
      await until('the short lease is held', () => Promise.resolve(gate.running.has(second)));
      const from = await quick.inspector.now();
      await until('four leases have gone by', async () => (await quick.inspector.now()) - from > 1_200);
      expect(await quick.get(second)).toMatchObject({ state: 'processing', fence: 1, crashes: 0 });
      gate.open(first);
      gate.open(second);
      await until('both are done', async () => (await quick.state(second)) === 'completed' && (await slow.state(first)) === 'completed');
    } finally {
      await worker.stop(0);
    }
  });

  it('is timed from its start, told so, retried, and stopped before the next begins', async () => {
    const { scheduler } = await suite.open();
    await workshop.chores(scheduler, suite.redis.server.url);
    const journal = await workshop.journal();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(2), slots: 2, random: () => 0 });
    const { id } = await scheduler.queue.submit('native', { file: journal.file, seconds: 1 }, { timeoutMs: 150, maxRetries: 1 });
    await until('it is dead', async () => (await scheduler.state(id)) === 'dead_letter');
    expect(await scheduler.get(id)).toMatchObject({ attempts: 2, errors: [{ code: 'timeout' }, { code: 'timeout' }] });
    const begins = (await journal.read()).filter((moment) => moment.word === 'begin');
    expect(begins).toHaveLength(2);
    expect(Number(begins[1]?.at) - Number(begins[0]?.at)).toBeGreaterThanOrEqual(1_000);
  });

  it('is not timed out by a limit that is past what a timer can hold', async () => {
    const { scheduler } = await suite.open({ settings: { timeoutMs: 2 ** 40 } });
    const gate = gates();
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers });
    const id = await scheduler.submit();
    await until('it runs', () => Promise.resolve(gate.running.has(id)));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(gate.running.get(id)?.signal.aborted).toBe(false);
    gate.open(id);
    await until('it is done', async () => (await scheduler.state(id)) === 'completed');
  });

  it('that cannot be stored dies of that alone, and its neighbours in the batch are completed', async () => {
    const { scheduler } = await suite.open();
    const handlers: Handlers = {
      good: () => Promise.resolve('fine'),
      bigint: () => Promise.resolve(10n as unknown as string),
      circle: () => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return Promise.resolve(circle as never);
      },
      family: () => Promise.resolve(fanOut([])),
      grandparent: ({ children }) => Promise.resolve(children === null ? fanOut([{ type: 'family', payload: null }]) : 'ended'),
      big: () => Promise.resolve(fanOut([{ type: 'good', payload: 'x'.repeat(10_000) }])),
    };
    const submit = async (type: string): Promise<string> => (await scheduler.queue.submit(type, null)).id;
    const tasks = await Promise.all(['bigint', 'good', 'circle', 'good', 'family', 'grandparent', 'big'].map(submit));
    await workshop.worker(scheduler, suite.redis.server.url, { handlers, slots: 10 });
    await until('all have ended', async () => {
      const counts = await scheduler.inspector.counts();
      return (counts.completed ?? 0) + (counts.dead_letter ?? 0) === 8;
    });
    const ended = await scheduler.inspector.getMany(tasks);
    expect(ended.map((task) => task?.state)).toEqual([
      'dead_letter',
      'completed',
      'dead_letter',
      'completed',
      'dead_letter',
      'completed',
      'dead_letter',
    ]);
    expect(ended.flatMap((task) => task?.errors.map((error) => error.code) ?? [])).toEqual([
      'payload_invalid',
      'payload_invalid',
      'payload_invalid',
      'payload_too_large',
    ]);
  });

  it('with a result life that is none dies of it, instead of losing its result without a word', async () => {
    const { scheduler } = await suite.open();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
    for (const resultMs of [0, -5, 1.5, 'a while', null]) {
      const { id } = await scheduler.queue.submit('shortLived', { resultMs });
      await until('it has ended', async () => (await scheduler.get(id)).finishedAt !== null);
      expect(await scheduler.get(id)).toMatchObject({ state: 'dead_letter', attempts: 1, errors: [{ code: 'invalid_request' }] });
    }
    const { id } = await scheduler.queue.submit('shortLived', { resultMs: 60_000 });
    await until('it is done', async () => (await scheduler.state(id)) === 'completed');
  });

  it('reports progress while it goes on', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 400 } });
    const executor = threads(1);
    await workshop.worker(scheduler, suite.redis.server.url, { executor });
    const { id } = await scheduler.queue.submit('halfway', null);
    await until('half is told', async () => (await scheduler.get(id)).progress === 0.5);
  });

  it('that crashed twice goes without neighbours, though they were claimed with it or came behind it', async () => {
    const { scheduler, given } = await suite.open();
    const crashed = await given.pending({ priority: 50 });
    for (let crash = 0; crash < 2; crash++) {
      await given.claimed(crashed);
      await given.loseLease(crashed);
    }
    const gate = gates();
    const before = [await given.pending({ priority: 1 }), await given.pending({ priority: 2 })];
    const behind = [await given.pending({ priority: 100 }), await given.pending({ priority: 101 })];
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 5 });
    await until('those before it run', () => Promise.resolve(gate.running.size === 2));
    expect([...gate.running.keys()].toSorted()).toEqual(before.toSorted());
    for (const id of before) gate.open(id);
    await until('it runs', () => Promise.resolve(gate.running.has(crashed)));
    const late = await given.pending({ priority: 1 });
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([...gate.running.keys()]).toEqual([crashed]);
    gate.open(crashed);
    await until('the others run', () => Promise.resolve(gate.running.size === 3));
    for (const id of [...behind, late]) gate.open(id);
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 6);
  });

  it('of a parent that was interrupted while it fanned out fans out again, and is not taken for the assembly', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 3, last: false });
    await given.childCompleted(`${id}.00001`);
    await given.loseLease(id);
    const seen: unknown[] = [];
    const handlers: Handlers = {
      work: ({ children }) => {
        seen.push(children);
        return Promise.resolve(children === null ? fanOut([1, 2, 3].map((page) => ({ type: 'child', payload: page }))) : 'assembled');
      },
      child: () => Promise.resolve('page'),
    };
    await workshop.worker(scheduler, suite.redis.server.url, { handlers });
    await until('it is assembled', async () => (await scheduler.state(id)) === 'completed');
    expect(seen).toEqual([null, { completed: 3, failed: 0, total: 3 }]);
  });
});
