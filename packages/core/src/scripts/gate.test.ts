import { describe, expect, it } from 'vitest';
import type { Queue } from '../queue/queue.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

describe('a concurrency key', () => {
  const key = { concurrencyKey: 'printer', concurrencyLimit: 2 };

  it('lets its limit run at once and parks the rest, which stay pending in their place', async () => {
    const { scheduler, given } = await suite.open();
    const ids = [];
    for (let index = 0; index < 5; index++) ids.push(await given.pending({ ...key, priority: 10 + index }));
    const free = await given.pending({ priority: 500 });
    const { tasks } = await scheduler.claim('w1', { limit: 10 });
    expect(tasks.map((task) => task.id)).toEqual([ids[0], ids[1], free]);
    const world = await scheduler.world();
    expect(world.parked).toEqual({ [ids[2] ?? '']: 12, [ids[3] ?? '']: 13, [ids[4] ?? '']: 14 });
    expect(await scheduler.state(ids[2] ?? '')).toBe('pending');
    expect(world.counts).toMatchObject({ pending: 3, processing: 3 });
  });

  it.each([
    ['complete', (suiteOf: Ways) => suiteOf.scheduler.complete('w1', suiteOf.id, suiteOf.fence)],
    ['fail', (suiteOf: Ways) => suiteOf.scheduler.fail('w1', suiteOf.id, suiteOf.fence, { class: 'permanent' })],
    ['cancel', (suiteOf: Ways) => suiteOf.scheduler.queue.cancel(suiteOf.id)],
    ['fan-out', (suiteOf: Ways) => suiteOf.scheduler.fanOut('w1', suiteOf.id, suiteOf.fence, { from: 1, to: 1, total: 1, last: true })],
  ])('gives the slot back on %s, to the best that is parked', async (_, end) => {
    const { scheduler, given } = await suite.open();
    const first = await given.pending({ concurrencyKey: 'k', priority: 1 });
    const worse = await given.pending({ concurrencyKey: 'k', priority: 9 });
    const better = await given.pending({ concurrencyKey: 'k', priority: 5 });
    const { tasks } = await scheduler.claim('w1', { limit: 10 });
    expect(tasks.map((task) => task.id)).toEqual([first]);
    await end({ scheduler, id: first, fence: tasks[0]?.record.fence ?? 0 });
    const world = await scheduler.world();
    expect(world.pending).toHaveProperty([better], 5);
    expect(world.parked).toEqual({ [worse]: 9 });
  });

  it('gives the slot back when the lease ends, and the task takes its own place behind nobody', async () => {
    const { scheduler, given } = await suite.open();
    const first = await given.pending({ concurrencyKey: 'k', priority: 5 });
    const second = await given.pending({ concurrencyKey: 'k', priority: 5 });
    await scheduler.claim('w1', { limit: 10 });
    await scheduler.expireLease(first);
    await scheduler.reap();
    const { tasks } = await scheduler.claim('w2', { limit: 10 });
    expect(tasks.map((task) => task.id)).toEqual([first]);
    expect((await scheduler.world()).parked).toEqual({ [second]: 5 });
  });

  it('moves and cancels what is parked', async () => {
    const { scheduler, given } = await suite.open();
    await given.pending({ concurrencyKey: 'k', priority: 1 });
    const moved = await given.pending({ concurrencyKey: 'k', priority: 5 });
    const gone = await given.pending({ concurrencyKey: 'k', priority: 6 });
    await scheduler.claim('w1', { limit: 10 });
    await scheduler.queue.reprioritize(moved, 700);
    await scheduler.queue.cancel(gone);
    expect((await scheduler.world()).parked).toEqual({ [moved]: 700 });
    expect(await scheduler.state(gone)).toBe('cancelled');
  });

  it.each([
    ['cancelled', (queue: Queue, id: string) => queue.cancel(id)],
    ['moved back', (queue: Queue, id: string) => queue.reprioritize(id, 900)],
  ])('gives the turn to the next where the task that had it is %s before it runs', async (_, leave) => {
    const { scheduler, given } = await suite.open();
    const ids = [];
    for (const priority of [1, 2, 3]) ids.push(await given.pending({ concurrencyKey: 'k', priority }));
    const [first = '', second = '', third = ''] = ids;
    const { tasks } = await scheduler.claim('w1', { limit: 10 });
    await scheduler.complete('w1', first, tasks[0]?.record.fence ?? 0);
    await leave(scheduler.queue, second);
    expect((await scheduler.claim('w1', { limit: 1 })).tasks.map((task) => task.id)).toEqual([third]);
  });

  it('does not touch tasks of other keys or of none', async () => {
    const { scheduler, given } = await suite.open();
    for (let index = 0; index < 3; index++) await given.pending({ concurrencyKey: `k${index}` });
    await given.pending();
    expect((await scheduler.claim('w1', { limit: 10 })).tasks).toHaveLength(4);
  });

  it.each([null, true, {}, [], '', 5])('refuses %j for a key', async (concurrencyKey) => {
    const { scheduler } = await suite.open();
    const options = JSON.parse(JSON.stringify({ concurrencyKey })) as { concurrencyKey: string };
    await expect(scheduler.queue.submit('t', null, options)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it.each([{ count: 5 }, { perMs: 5 }])('refuses the rate %j', async (rateLimit) => {
    const { scheduler } = await suite.open();
    const options = JSON.parse(JSON.stringify({ concurrencyKey: 'k', rateLimit })) as { concurrencyKey: string };
    await expect(scheduler.queue.submit('t', null, options)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('refuses limits that are none', async () => {
    const { scheduler } = await suite.open();
    await expect(scheduler.submit({ concurrencyLimit: 2 })).rejects.toThrow('needs a concurrencyKey');
    await expect(scheduler.submit({ concurrencyKey: 'k', concurrencyLimit: 0 })).rejects.toThrow('integer from 1');
    await expect(scheduler.submit({ concurrencyKey: 'k', rateLimit: { count: 1.5, perMs: 10 } })).rejects.toThrow('integer from 1');
  });
});

interface Ways {
  readonly scheduler: Awaited<ReturnType<typeof suite.open>>['scheduler'];
  readonly id: string;
  readonly fence: number;
}

describe('a rate limit', () => {
  it('starts at most its count in its span, exactly, and the rest when their time comes', async () => {
    const { scheduler, given } = await suite.open();
    const rateLimit = { count: 3, perMs: 60_000 };
    for (let index = 0; index < 8; index++) await given.pending({ concurrencyKey: 'api', rateLimit });
    expect((await scheduler.claim('w1', { limit: 10 })).tasks).toHaveLength(3);
    expect(Object.keys((await scheduler.world()).parked)).toHaveLength(5);
    expect((await scheduler.claim('w1', { limit: 10 })).tasks).toHaveLength(0);

    // A minute later, told by moving the starts a minute back and the key's waking time to now.
    const { base } = scheduler.shard.keys;
    const { client } = suite.connection;
    const starts = await client.lrange(`${base}gate:starts:api`, 0, -1);
    await client.del(`${base}gate:starts:api`);
    await client.rpush(`${base}gate:starts:api`, ...starts.map((start) => String(Number(start) - rateLimit.perMs)));
    await client.zadd(`${base}throttled`, 'XX', 1, 'api');
    await scheduler.promote();
    expect((await scheduler.claim('w1', { limit: 10 })).tasks).toHaveLength(3);
    expect(Object.keys((await scheduler.world()).parked)).toHaveLength(2);
  });

  it('puts as many of a key in line as may start, and says when the next may', async () => {
    const { scheduler, given } = await suite.open();
    const rateLimit = { count: 3, perMs: 60_000 };
    for (let index = 0; index < 8; index++) await given.pending({ concurrencyKey: 'api', rateLimit });
    await scheduler.claim('w1', { limit: 10 });
    const { base, pending } = scheduler.shard.keys;
    const { client } = suite.connection;
    const [first, second, third] = (await client.lrange(`${base}gate:starts:api`, 0, -1)).map(Number);
    // The first two of the three starts are a minute old.
    await client.del(`${base}gate:starts:api`);
    await client.rpush(`${base}gate:starts:api`, `${Number(first) - 60_000}`, `${Number(second) - 60_000}`, `${third}`);
    await client.zadd(`${base}throttled`, 'XX', 1, 'api');
    await scheduler.promote();
    expect(await client.zcard(pending)).toBe(2);
    expect(Number(await client.zscore(`${base}throttled`, 'api'))).toBe(Number(third) + 60_000);
  });

  it('limits only starts where no concurrency limit is given', async () => {
    const { scheduler, given } = await suite.open();
    for (let index = 0; index < 4; index++) await given.pending({ concurrencyKey: 'api', rateLimit: { count: 4, perMs: 60_000 } });
    expect((await scheduler.claim('w1', { limit: 10 })).tasks).toHaveLength(4);
  });
});

describe('a strict parent', () => {
  it('becomes a dead letter when a child has failed and all have ended', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await scheduler.fanOut(run.worker, run.id, run.fence, { from: 1, to: 2, total: 2, last: true, strict: true });
    const bad = await scheduler.claimOne('w1');
    const good = await scheduler.claimOne('w1');
    await scheduler.fail('w1', bad.id, bad.record.fence, { class: 'permanent' });
    expect(await scheduler.state(run.id)).toBe('waiting');
    await scheduler.complete('w1', good.id, good.record.fence);
    const parent = await scheduler.get(run.id);
    expect(parent).toMatchObject({ state: 'dead_letter', children: { total: 2, completed: 1, failed: 1 } });
    expect(parent.errors.at(-1)?.code).toBe('child_failed');
  });

  it('waits again when the child is revived, and runs when that one completes', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await scheduler.fanOut(run.worker, run.id, run.fence, { from: 1, to: 1, total: 1, last: true, strict: true });
    const child = await scheduler.claimOne('w1');
    await scheduler.fail('w1', child.id, child.record.fence, { class: 'permanent' });
    expect(await scheduler.queue.revive([child.id])).toEqual(['revived']);
    expect(await scheduler.state(run.id)).toBe('waiting');
    const again = await scheduler.claimOne('w1');
    await scheduler.complete('w1', again.id, again.record.fence);
    expect(await scheduler.state(run.id)).toBe('pending');
  });
});
