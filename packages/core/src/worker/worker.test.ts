import { GalleyError } from '@galley/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { type Connection, connectRedis } from '../redis/connection.ts';
import { until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { threads, Workshop } from '../testing/workers.ts';
import { fanOut, type Handlers, type TaskContext } from './handler.ts';

const suite = schedulerSuite();
const workshop = new Workshop();
afterEach(() => workshop.sweep());

/** Handlers that a test lets go one by one. */
function gates(): { handlers: Handlers; running: Map<string, TaskContext>; most: () => number; open(id: string): void } {
  const running = new Map<string, TaskContext>();
  const opens = new Map<string, () => void>();
  let most = 0;
  return {
    running,
    most: () => most,
    open: (id) => opens.get(id)?.(),
    handlers: {
      work: (context) =>
        new Promise((resolve, reject) => {
          running.set(context.id, context);
          most = Math.max(most, running.size);
          const leave = (): void => void running.delete(context.id);
          opens.set(context.id, () => {
            leave();
            resolve('done');
          });
          context.signal.addEventListener('abort', () => {
            leave();
            reject(context.signal.reason as Error);
          });
        }),
    },
  };
}

describe('the claim loop', () => {
  it('wakes for a task that comes while it is idle, at once', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') } });
    for (let round = 0; round < 20; round++) {
      const start = performance.now();
      const id = await scheduler.submit();
      await until('it is done', async () => (await scheduler.state(id)) === 'completed', 1_000);
      // Far under the five seconds after which an idle worker looks by itself.
      expect(performance.now() - start).toBeLessThan(1_000);
    }
  });

  it('loses no wake-up when tasks come at every moment of its loop', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    const finished = new Set<string>();
    const handlers: Handlers = {
      work: (context) => {
        finished.add(context.id);
        return Promise.resolve(undefined);
      },
    };
    for (let index = 0; index < 2; index++) await workshop.worker(scheduler, suite.redis.server.url, { handlers, slots: 2 });
    for (let round = 0; round < 300; round++) {
      const id = await scheduler.submit();
      // Each comes at another moment of the loop: right behind the last one's end, or some turns after it.
      for (let turn = 0; turn < round % 7; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (round % 3 === 0) await until('it is done', () => Promise.resolve(finished.has(id)), 2_000);
    }
    await until('all are done', () => Promise.resolve(finished.size === 300), 2_000);
  });

  it('never runs more than its slots, and fills them all', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    const gate = gates();
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: gate.handlers, slots: 3 });
    await Promise.all(Array.from({ length: 12 }, () => scheduler.submit()));
    for (let done = 0; done < 12; done++) {
      await until('slots are full', () => Promise.resolve(gate.running.size === Math.min(3, 12 - done)));
      expect(worker.busy).toBeLessThanOrEqual(3);
      const [first] = gate.running.keys();
      gate.open(first ?? '');
    }
    await until('all are done', async () => (await scheduler.inspector.counts()).completed === 12);
    expect(gate.most()).toBe(3);
  });

  it('takes the best first, over all shards, one by one', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const order: number[] = [];
    const priorities = Array.from({ length: 60 }, (_, index) => ((index * 37) % 60) + 1);
    await Promise.all(priorities.map((priority) => scheduler.submit({ priority })));
    const handlers: Handlers = {
      work: ({ priority }) => {
        order.push(priority);
        return Promise.resolve(undefined);
      },
    };
    await workshop.worker(scheduler, suite.redis.server.url, { handlers });
    await until('all are done', () => Promise.resolve(order.length === 60));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('rests while the queue is paused, and goes on at once when it is resumed', async () => {
    const { scheduler } = await suite.open({ shards: 2 });
    await scheduler.queue.pause();
    await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') } });
    const id = await scheduler.submit();
    const before = Number(/total_commands_processed:(\d+)/.exec(await suite.connection.client.info('stats'))?.[1]);
    await scheduler.submit({ priority: 1 });
    expect(await scheduler.state(id)).toBe('pending');
    await scheduler.queue.resume();
    await until('it is done', async () => (await scheduler.state(id)) === 'completed', 1_000);
    const after = Number(/total_commands_processed:(\d+)/.exec(await suite.connection.client.info('stats'))?.[1]);
    expect(after - before).toBeLessThan(500);
  });
});

describe('a shard that cannot be claimed from', () => {
  it('does not keep the others from being worked on, nor lose what was claimed from them in the same trip', async () => {
    const { scheduler } = await suite.open({ shards: 4, settings: { leaseMs: 30_000 } });
    const tasks = await Promise.all(Array.from({ length: 40 }, () => scheduler.submit()));
    const [broken = ''] = tasks;
    const { key, field } = scheduler.recordAt(broken);
    const packed = await suite.connection.client.hgetBuffer(key, field);
    if (packed === null) throw new Error('the record is gone');
    // As an upgraded process would have written it: this build must not run it by guess.
    await suite.connection.client.hset(key, field, Buffer.concat([Buffer.from([2]), packed.subarray(1)]));
    const { log } = await workshop.worker(scheduler, suite.redis.server.url, { handlers: { work: () => Promise.resolve('ok') }, slots: 8 });
    const own = scheduler.queue.shardOf(broken);
    const others = tasks.filter((id) => scheduler.queue.shardOf(id) !== own);
    await until('all of the others are done', async () => (await scheduler.inspector.counts()).completed === others.length);
    expect((await scheduler.inspector.counts()).processing ?? 0).toBe(0);
    expect(log.lines.some((line) => line.err instanceof Error && line.err.message.includes('format version 2'))).toBe(true);
    expect(log.lines.filter((line) => 'err' in line).length).toBeLessThan(50);
    await suite.connection.client.hset(key, field, packed);
    await until('the rest is done', async () => (await scheduler.inspector.counts()).completed === 40, 2_000);
  });
});

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
    const { Worker } = await import('./worker.ts');
    const { inProcess } = await import('./executor.ts');
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

  it('with a result life that is none is stored all the same', async () => {
    const { scheduler } = await suite.open();
    await workshop.worker(scheduler, suite.redis.server.url, { executor: threads(1) });
    for (const resultMs of [0, -5, 1.5]) {
      const { id } = await scheduler.queue.submit('shortLived', { resultMs });
      await until('it is done', async () => (await scheduler.state(id)) === 'completed');
    }
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
    const { scheduler } = await suite.open();
    const gate = gates();
    const { startTestRedis } = await import('../testing/scheduler.ts');
    const away = await startTestRedis();
    try {
      const { TestScheduler } = await import('../testing/scheduler.ts');
      const other = await TestScheduler.open(away.connection);
      const { worker, log } = await workshop.worker(other, away.server.url, { handlers: gate.handlers });
      const id = await other.submit();
      await until('it runs', () => Promise.resolve(gate.running.has(id)));
      await away.server.kill9();
      await worker.stop(0);
      expect(log.of('runs abandoned')).toHaveLength(1);
      expect(scheduler).toBeDefined();
    } finally {
      await away.connection.close();
      await away.server.restart();
      await away.stop();
    }
  });

  it('takes the worker off the list', async () => {
    const { scheduler } = await suite.open();
    const { listWorkers } = await import('./registry.ts');
    const { worker } = await workshop.worker(scheduler, suite.redis.server.url, { slots: 4 });
    expect(await listWorkers(suite.connection)).toMatchObject([
      { workerId: worker.id, slots: 4, busy: 0, pid: process.pid, queues: [scheduler.queue.name] },
    ]);
    await worker.stop(0);
    expect(await listWorkers(suite.connection)).toEqual([]);
  });
});

describe('a word to a holder', () => {
  it('that comes between the claim and its answer, over a slow line, is heeded before the handler begins', async () => {
    const { scheduler } = await suite.open();
    const fast = connectRedis(suite.redis.server.url);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow: Connection = {
      ...fast,
      isUp: () => fast.isUp(),
      roundTrip: async (calls, heads) => {
        const reply = await fast.roundTrip(calls, heads);
        if (calls.length > 0) await held;
        return reply;
      },
    };
    const begun: string[] = [];
    const { worker, log } = await workshop.worker(scheduler, suite.redis.server.url, {
      connection: slow,
      handlers: { work: (context) => Promise.resolve(void begun.push(context.id)) },
    });
    const id = await scheduler.submit();
    await until('it is claimed', async () => (await scheduler.state(id)) === 'processing');
    await scheduler.queue.cancel(id);
    await until(
      'all have heard',
      async () => (await suite.connection.client.publish(`${scheduler.shard.keys.base}control`, 'end 0 0')) === 1,
    );
    await scheduler.connection.client.ping();
    answer();
    await until('its run is over', () => Promise.resolve(log.of('lock released').length === 1));
    expect([begun, worker.busy]).toEqual([[], 0]);
    expect(log.of('lock released')[0]).toMatchObject({ outcome: 'cancelled' });
  });

  it('is heeded though it overtakes the answer of the claim', async () => {
    const { scheduler } = await suite.open();
    const started: string[] = [];
    const handlers: Handlers = {
      work: (context) => {
        started.push(context.id);
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(new GalleyError('task_cancelled', 'stopped')));
        });
      },
    };
    for (let round = 0; round < 30; round++) {
      const { worker, close } = await workshop.worker(scheduler, suite.redis.server.url, { handlers });
      const id = await scheduler.submit();
      await until('it is claimed', async () => (await scheduler.state(id)) === 'processing');
      await scheduler.queue.cancel(id);
      await until('its slot is free', () => Promise.resolve(worker.busy === 0), 1_000);
      await close();
    }
    expect((await scheduler.world()).counts).toEqual({ cancelled: 30 });
  });
});
