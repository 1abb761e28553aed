import { afterEach, describe, expect, it } from 'vitest';
import { gates } from '../testing/gate-handlers.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Workshop } from '../testing/workers.ts';
import { listWorkers } from './registry.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

describe('without prefetch', () => {
  it('what is claimed runs: no task is held whose handler has not begun', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    const gate = gates();
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 3 });
    await Promise.all(Array.from({ length: 12 }, () => scheduler.submit()));
    for (let done = 0; done < 9; done++) {
      await until('slots are full', () => Promise.resolve(gate.running.size === 3));
      const counts = await scheduler.inspector.counts();
      expect(counts.processing).toBeLessThanOrEqual(3);
      const [first = ''] = gate.running.keys();
      gate.open(first);
      await until('it is done', async () => (await scheduler.state(first)) === 'completed');
    }
  });
});

describe('with prefetch', () => {
  it('holds so many more than its slots, renewed, and begins them best first; a better one that comes goes before them', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 400 } });
    await workshop.chores(scheduler, suite.redis.server.url);
    const gate = gates();
    const tasks = await Promise.all([5, 6, 7, 8, 9, 10].map((priority) => scheduler.submit({ priority })));
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 1, prefetch: 3 });
    await until('one runs and three wait here', async () => (await scheduler.inspector.counts()).processing === 4);
    await until('the best runs', () => Promise.resolve(gate.running.size === 1));
    expect([worker.busy, [...gate.running.keys()]]).toEqual([1, [tasks[0]]]);
    const from = await scheduler.inspector.now();
    await until('three leases have gone by', async () => (await scheduler.inspector.now()) - from > 1_200);
    const urgent = await scheduler.submit({ priority: 1 });
    const order: string[] = [];
    for (let done = 0; done < 7; done++) {
      await until('one runs', () => Promise.resolve(gate.running.size === 1));
      const [running = ''] = gate.running.keys();
      order.push(running);
      gate.open(running);
      await until('it is done', async () => (await scheduler.state(running)) === 'completed');
      // The one that came is claimed for the place that has come free.
      if (done === 0) await until('the line is full again', async () => (await scheduler.inspector.counts()).processing === 4);
    }
    // It is claimed when the first has ended, while the second begins.
    expect(order.indexOf(urgent)).toBeLessThanOrEqual(2);
    expect(order.filter((id) => id !== urgent)).toEqual(tasks);
    for (const id of tasks) expect(await scheduler.get(id)).toMatchObject({ fence: 1, crashes: 0 });
    expect(gate.most()).toBe(1);
  });

  it('hands back what waits as soon as it is stopped, and finishes what runs', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const tasks = await Promise.all([1, 2, 3, 4].map((priority) => scheduler.submit({ priority })));
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 1, prefetch: 2 });
    await until('one runs and two wait here', async () => (await scheduler.inspector.counts()).processing === 3);
    await until('the best runs', () => Promise.resolve(gate.running.size === 1));
    const stopped = worker.stop(60_000);
    await until('the others are back in line', async () => (await scheduler.inspector.counts()).pending === 3);
    gate.open(tasks[0] ?? '');
    await stopped;
    expect(await scheduler.state(tasks[0] ?? '')).toBe('completed');
    for (const id of tasks.slice(1))
      expect(await scheduler.get(id)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0, errors: [] });
  });

  it('lets go of one that is cancelled while it waits', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const [first = '', second = '', third = ''] = await Promise.all([1, 2, 3].map((priority) => scheduler.submit({ priority })));
    const { log } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 1, prefetch: 2 });
    await until('two wait here', async () => (await scheduler.inspector.counts()).processing === 3);
    await scheduler.queue.cancel(second);
    await until('its run is over', () => Promise.resolve(log.of('lock released').some((line) => line.task === second)));
    gate.open(first);
    await until('the third runs', () => Promise.resolve(gate.running.has(third)));
    expect(gate.running.has(second)).toBe(false);
    gate.open(third);
  });
});

describe('what is seen of a worker from outside', () => {
  it('is what each slot does, its leases, and what its process takes', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 7_000 } });
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, {
      handlers: gate.handlers,
      slots: 2,
      nameOf: () => 'scan.pdf',
    });
    const id = await scheduler.submit();
    await until('it runs', () => Promise.resolve(gate.running.has(id)));
    gate.running.get(id)?.progress(0.25);
    const seen = await until('the heartbeat tells of it', async () => {
      const [state] = await listWorkers(suite.connection);
      return state?.tasks.length === 1 ? state : null;
    });
    const { startedAt } = await scheduler.get(id);
    expect(seen).toMatchObject({
      workerId: worker.id,
      leasesMs: { [scheduler.queue.name]: 7_000 },
      busy: 1,
      tasks: [{ taskId: id, filename: 'scan.pdf', type: 'work', fence: 1, startedAt, progress: 0.25 }],
    });
    expect(seen.cpuSeconds).toBeGreaterThan(0);
    expect(seen.rssBytes).toBeGreaterThan(1e6);
  });

  it('is a line for each lock with key, shard, worker, fence, start and end, and the end is that of the work', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const { worker, log } = await workshop.worker(scheduler, suite.redis.server.url, {
      handlers: { work: () => Promise.resolve('ok') },
    });
    const id = await scheduler.submit();
    await until('its run is over', () => Promise.resolve(log.of('lock released').length === 1));
    const shard = scheduler.queue.shardOf(id);
    const lock = { key: `${shard?.keys.locks}${id}`, shard: shard?.name, worker: worker.id, fence: 1, task: id };
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(log.of('lock acquired')).toEqual([{ event: 'lock acquired', ...lock, start: iso }]);
    expect(log.of('lock released')).toEqual([{ event: 'lock released', ...lock, start: iso, end: iso, outcome: 'completed' }]);
    const { finishedAt } = await scheduler.get(id);
    // Redis and this process share a clock here; the report came after the end.
    expect(Date.parse(String(log.of('lock released')[0]?.end))).toBeLessThanOrEqual(Number(finishedAt));
  });

  it('is a line for a lease that was lost, before that of its release', async () => {
    const { scheduler } = await suite.open();
    const gate = gates();
    const { worker, log } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers });
    const id = await scheduler.submit();
    await until('it runs', () => Promise.resolve(gate.running.has(id)));
    await scheduler.queue.pause();
    await scheduler.expireLease(id);
    await scheduler.reap();
    await scheduler.queue.resume();
    await scheduler.claimOne('another');
    gate.open(id);
    await until('its run is over', () => Promise.resolve(log.of('lock released').length === 1));
    const told = { task: id, worker: worker.id, fence: 1, outcome: 'lease_lost', start: expect.any(String), end: expect.any(String) };
    expect(log.of('lease lost')).toMatchObject([told]);
    expect(log.of('lock released')).toMatchObject([told]);
  });
});

describe('a handler that computes in the worker’s own process', () => {
  it('is warned of, with how long the event loop stood still', async () => {
    const { scheduler } = await suite.open({ settings: { leaseMs: 2_000 } });
    const spin = (): Promise<string> => {
      const end = performance.now() + 500;
      while (performance.now() < end);
      return Promise.resolve('spun');
    };
    const { log, worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: spin } });
    await scheduler.submit();
    const [line] = await until('it is warned of', () => {
      const lines = log.of('event loop blocked');
      return Promise.resolve(lines.length > 0 ? lines : null);
    });
    expect(line).toMatchObject({ worker: worker.id, lease_ms: 2_000 });
    expect(line?.ms).toBeGreaterThanOrEqual(450);
  });
});
