import { describe, expect, it } from 'vitest';
import { Leadership, Locks, RedisLockStore, readLockTotals } from '../locks/index.ts';
import type { DurationHistogram } from '../rules/histogram.ts';
import { startTestRedis, TestScheduler, until } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { Chore, type Lifecycle, silentLogger } from './chore.ts';
import { createChores, scrubberLockName } from './chores.ts';
import { quantilesOf, ratesOf, readHistory, recordHistory } from './history.ts';
import { Scrubber } from './scrubber.ts';

const suite = schedulerSuite();

describe('Chore', () => {
  it('never runs two passes at once, goes on while there is more, and stops within its pass', async () => {
    let running = 0;
    let most = 0;
    let passes = 0;
    const chore = new Chore({
      name: 'test',
      periodMs: 1,
      connection: suite.connection,
      logger: silentLogger,
      pass: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return ++passes < 5;
      },
    });
    chore.start();
    chore.start();
    await until('five passes', async () => passes >= 5);
    await Promise.all([chore.stop(), chore.stop()]);
    const ended = passes;
    await new Promise((resolve) => setImmediate(resolve));
    expect({ most, running, passes }).toEqual({ most: 1, running: 0, passes: ended });
  });

  it('rests for as long as a pass says, unless it is hastened, and ends a rest when it is stopped', async () => {
    let passes = 0;
    const chore = new Chore({
      name: 'test',
      periodMs: 1,
      connection: suite.connection,
      logger: silentLogger,
      pass: () => Promise.resolve(++passes < 3 ? false : 600_000),
    });
    chore.start();
    await until('it rests', () => Promise.resolve(passes === 3));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(passes).toBe(3);
    chore.hasten();
    await until('it has gone on', () => Promise.resolve(passes === 4));
    await chore.stop();
  });

  it('tries again after a failed pass', async () => {
    const said: string[] = [];
    let passes = 0;
    const chore = new Chore({
      name: 'test',
      periodMs: 1,
      connection: suite.connection,
      logger: { ...silentLogger, warn: (_, message) => said.push(message) },
      pass: async () => {
        if (++passes === 1) throw new Error('once');
        return false;
      },
    });
    chore.start();
    await until('a second pass', async () => passes >= 2);
    await chore.stop();
    expect(said).toEqual(['a chore failed; it is tried again next period']);
  });
});

describe('createChores', () => {
  it('reaps, promotes and trims by itself, and does nothing twice where several run side by side', async () => {
    const { scheduler, given } = await suite.open({ shards: 2, settings: { retentionMs: 1, leaseMs: 600 } });
    const lost = await given.processing();
    const due = await given.scheduled();
    const over = await given.completed();
    await scheduler.expireLease(lost.id);
    await scheduler.makeDue(due);
    const all = [0, 1, 2].map(() => createChores({ connection: suite.connection, queues: [scheduler.queue], periodMs: 100 }));
    for (const chores of all) chores.start();
    await until('the lost task is pending', async () => (await scheduler.state(lost.id)) === 'pending');
    await until('the due task is pending', async () => (await scheduler.state(due)) === 'pending');
    await until('the old task is forgotten', async () => (await scheduler.state(over.id)) === null, 15_000);
    await Promise.all(all.map((chores) => chores.stop()));
    // None, where the reaper met a gap of its own; never two.
    expect((await scheduler.get(lost.id)).crashes).toBeLessThanOrEqual(1);
  }, 30_000);
});

describe('the promoter', () => {
  // Its passes lie far apart, so what is in line was put there because it was due.
  const PERIOD_MS = 600_000;

  it('puts scheduled tasks in line when they come due, one after the other', async () => {
    const { scheduler } = await suite.open({ shards: 4 });
    const ids = await Promise.all([100, 150, 300].map((delayMs) => scheduler.submit({ delayMs })));
    const chores = createChores({ connection: suite.connection, queues: [scheduler.queue], periodMs: PERIOD_MS });
    chores.start();
    await until('all are in line', async () => (await scheduler.inspector.counts()).pending === ids.length, 5_000);
    await chores.stop();
  });

  it('puts back what a key’s rate held back as soon as the next start is allowed', async () => {
    const { scheduler } = await suite.open();
    const rateLimit = { count: 2, perMs: 200 };
    for (let index = 0; index < 6; index++) await scheduler.submit({ concurrencyKey: 'api', rateLimit });
    const starts: number[] = [];
    const claim = async (): Promise<void> => {
      const { at, tasks } = await scheduler.claim('w1', { limit: 10 });
      for (const { id, record } of tasks) {
        starts.push(at);
        await scheduler.complete('w1', id, record.fence);
      }
    };
    await claim();
    expect(starts).toHaveLength(2);
    const chores = createChores({ connection: suite.connection, queues: [scheduler.queue], periodMs: PERIOD_MS });
    chores.start();
    await until('all have started', async () => claim().then(() => starts.length === 6), 5_000);
    await chores.stop();
    for (const from of starts) expect(starts.filter((at) => at >= from && at < from + rateLimit.perMs).length).toBeLessThanOrEqual(2);
  });
});

describe('chores that are stopped while Redis is away', () => {
  it('end, though a pass of theirs waits for its answer', async () => {
    const away = await startTestRedis();
    try {
      const scheduler = await TestScheduler.open(away.connection);
      const chores = createChores({ connection: away.connection, queues: [scheduler.queue], periodMs: 1 });
      away.server.pause();
      // Its first passes are sent, and will not be answered.
      chores.start();
      await away.server.kill9();
      await chores.stop();
      expect(away.connection.isUp()).toBe(false);
    } finally {
      await away.connection.close();
      await away.server.restart();
      await away.stop();
    }
  });
});

describe('the janitor', () => {
  it('forgets the oldest of the ended past the count that a queue is to remember', async () => {
    const { scheduler, given } = await suite.open({ shards: 2, settings: { retentionCount: 6 } });
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.push((await given.completed()).id);
    const chores = createChores({ connection: suite.connection, queues: [scheduler.queue] });
    chores.start();
    await until('only six are remembered', async () => ((await scheduler.inspector.counts()).completed ?? 0) === 6, 15_000);
    await chores.stop();
    const held = (await scheduler.inspector.getMany(ids)).flatMap((task) => (task === null ? [] : [task.id]));
    expect(held).toEqual(ids.slice(-6));
  });
});

describe('the scrubber', () => {
  it('is run by one of several processes, and by another when that has stopped', async () => {
    const { scheduler } = await suite.open();
    const locks = new Locks({ store: new RedisLockStore(suite.connection) });
    const name = scrubberLockName(scheduler.queue.name);
    const open = (): Lifecycle => createChores({ connection: suite.connection, queues: [scheduler.queue] });
    const before = await readLockTotals(suite.connection);
    const sumOf = (histogram: DurationHistogram): number => [...histogram.values()].reduce((sum, count) => sum + count, 0);
    const holder = (): Promise<string> => until('one has the lead', async () => (await locks.inspect(name)).holder);
    const [first, second] = [open(), open()];
    first.start();
    const leader = await holder();
    second.start();
    expect(await holder()).toBe(leader);
    await first.stop();
    // The other one asks once a period.
    const next = await until('the other has it', async () => {
      const { holder: found } = await locks.inspect(name);
      return found !== null && found !== leader && found;
    });
    expect(next).not.toBe(leader);
    await second.stop();
    expect(await locks.inspect(name)).toMatchObject({ held: false });
    // What both did with the lock is counted in one place, for the server's metrics.
    const after = await readLockTotals(suite.connection);
    expect([after.acquired - before.acquired, after.released - before.released, after.lost - before.lost]).toEqual([2, 2, 0]);
    expect([sumOf(after.waitMs), sumOf(after.holdMs)]).toEqual([after.acquired, after.released]);
  }, 30_000);

  it('walks through a queue again when it has rested', async () => {
    const { scheduler, given } = await suite.open();
    let now = 0;
    const clock = { now: () => now, monotonic: () => now };
    const scrubber = new Scrubber(suite.connection, scheduler.queue, { clock, restMs: 60_000 });
    const walk = async (): Promise<number> => {
      let mended = 0;
      for (let step = 0; step < 5; step++) mended += await scrubber.step();
      return mended;
    };
    const id = await given.pending();
    await walk();
    await suite.connection.client.zrem(scheduler.shard.keys.pending, id);
    now = 59_999;
    expect(await walk()).toBe(0);
    now = 60_000;
    expect(await walk()).toBe(1);
    expect(await scheduler.state(id)).toBe('pending');
  });

  it('loses the lead by itself when it stands still past the TTL', async () => {
    const locks = [1, 2].map(() => new Locks({ store: new RedisLockStore(suite.connection) }));
    const [still, next] = locks.map((own) => new Leadership(own, 'chore', 200));
    expect([await still?.isMine(), await next?.isMine()]).toEqual([true, false]);
    await until('the other leads', async () => next?.isMine());
    expect(await still?.isMine()).toBe(false);
    await next?.resign();
    expect(await still?.isMine()).toBe(true);
    await still?.resign();
  });
});

describe('history', () => {
  it('writes the last whole minute once, and reads back what was counted in it', async () => {
    const { scheduler, given } = await suite.open();
    const minute = Math.floor((await scheduler.inspector.now()) / 60_000) - 1;
    await given.completed();
    await given.pending({ priority: 1 });
    // As if it had happened a minute ago.
    const { base } = scheduler.shard.keys;
    for (const key of await suite.connection.client.keys(`${base}minute:*`))
      await suite.connection.client.rename(key, `${base}minute:${minute}`);
    const { layout } = scheduler.queue;
    const [nextInMs] = await Promise.all([recordHistory(suite.connection, layout), recordHistory(suite.connection, layout)]);
    expect(nextInMs).toBeGreaterThan(0);
    expect(nextInMs).toBeLessThanOrEqual(60_000);
    const points = await readHistory(suite.connection, scheduler.queue.name, 15);
    expect(points).toHaveLength(1);
    expect(points[0]).toMatchObject({
      at: new Date((minute + 1) * 60_000).toISOString(),
      submitted: 2,
      completed: 1,
      failed: 0,
      pending_by_band: { urgent: 1, high: 0, normal: 0, bulk: 0 },
    });
    expect(points[0]?.run_ms.p50).not.toBeNull();
  });

  it('counts children with their parents, and says nothing of what was not measured', () => {
    expect(ratesOf({ completed: 2, 'child:completed': 3, crashed: 1, 'counter:pages': 7 })).toEqual({
      submitted: 0,
      completed: 5,
      failed: 0,
      crashed: 1,
      pages: 7,
    });
    expect(quantilesOf({}, 'wait:')).toEqual({ p50: null, p95: null, p99: null });
  });
});
