import { afterEach, describe, expect, it } from 'vitest';
import { gates } from '../testing/gate-handlers.ts';
import { startTestRedis, TestScheduler, until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';
import { listWorkers } from './registry.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

describe('stopping', () => {
  it('claims nothing more, lets runs finish within the grace period, and resolves', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 1 });
    const [first, second] = [await scheduler.submit(), await scheduler.submit()];
    await until('it runs', () => Promise.resolve(gate.running.has(first)));
    const stopped = worker.stop(10_000);
    gate.open(first);
    await stopped;
    expect([await scheduler.state(first), await scheduler.state(second)]).toEqual(['completed', 'pending']);
  });

  it('hands back what outlasts the grace period, in its own place, with no attempt and no crash', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 2 });
    const [first, second] = [await scheduler.submit(), await scheduler.submit()];
    const third = await scheduler.submit();
    await until('both run', () => Promise.resolve(gate.running.size === 2));
    await worker.stop(1);
    expect(await scheduler.get(first)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0, errors: [] });
    const claims = [await scheduler.claimOne('w2'), await scheduler.claimOne('w2'), await scheduler.claimOne('w2')];
    expect(claims.map((row) => row.id)).toEqual([first, second, third]);
  });

  it('hurries when it is told to again', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers });
    const id = await scheduler.submit();
    await until('it runs', () => Promise.resolve(gate.running.has(id)));
    const patient = worker.stop(60_000);
    expect(gate.running.size).toBe(1);
    const start = performance.now();
    await Promise.all([worker.stop(0), patient]);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(await scheduler.state(id)).toBe('pending');
  });

  it('hands back a task whose claim was still under way', async () => {
    const { scheduler } = await suite.open();
    for (let round = 0; round < 15; round++) {
      const gate = gates();
      const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers });
      const submitted = scheduler.submit();
      for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
      const [id] = await Promise.all([submitted, worker.stop(0)]);
      expect(gate.running.size).toBe(0);
      expect(await scheduler.get(id)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0 });
      await scheduler.queue.cancel(id);
    }
  });

  it('ends though Redis is away and nothing can be handed back', async () => {
    const gate = gates();
    const away = await startTestRedis();
    try {
      const other = await TestScheduler.open(away.connection);
      const { worker, log } = await workshop.worker(other, away.server.url, { handlers: gate.handlers });
      const id = await other.submit();
      await until('it runs', () => Promise.resolve(gate.running.has(id)));
      await away.server.kill9();
      await worker.stop(0);
      expect(log.of('runs abandoned')).toHaveLength(1);
    } finally {
      await away.connection.close();
      await away.server.restart();
      await away.stop();
    }
  });

  it('takes the worker off the list', async () => {
    const { scheduler } = await suite.open();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { slots: 4 });
    expect(await listWorkers(suite.connection)).toMatchObject([
      { workerId: worker.id, slots: 4, busy: 0, pid: process.pid, queues: [scheduler.queue.name] },
    ]);
    await worker.stop(0);
    expect(await listWorkers(suite.connection)).toEqual([]);
  });
});
