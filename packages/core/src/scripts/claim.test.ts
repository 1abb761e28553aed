import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('claim', () => {
  it('opens a run: fence, lease entry and lock key in one step, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const id = await given.pending({ priority: 1 });
    const changed = await changes(async () => {
      const { tasks } = await scheduler.claim('w1');
      expect(tasks).toEqual([
        {
          id,
          record: expect.objectContaining({ state: 'processing', fence: 1, worker: 'w1' }),
          message: '{"type":"work"}\nnull',
          children: null,
        },
      ]);
    });
    expect(changed).toEqual({
      [`pending ${id}`]: [1, undefined],
      [`leases ${id}`]: [undefined, NUMBER],
      [`processing ${id}`]: [undefined, true],
      [`locks ${id}`]: [undefined, 'w1#1'],
      [`records ${id} state`]: ['pending', 'processing'],
      [`records ${id} flags`]: [0, RECORD_FLAGS.runOpen],
      [`records ${id} fence`]: [0, 1],
      [`records ${id} worker`]: ['', 'w1'],
      [`records ${id} startedAt`]: [0, NUMBER],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts pending': [4, 3],
      'counts processing': [1, 2],
      [Object.keys(changed).find((path) => path.startsWith('totals wait:')) ?? '']: expect.anything(),
    });
  });

  it('lets the lock key and the lease end together, a lease from now', async () => {
    const { scheduler, given } = await suite.open({ settings: { leaseMs: 5_000 } });
    const { id } = await given.processing();
    const [now, lock, world] = await Promise.all([scheduler.inspector.now(), scheduler.lock(id), scheduler.world()]);
    expect(lock.ttlMs).toBeGreaterThan(4_000);
    expect(lock.ttlMs).toBeLessThanOrEqual(5_000);
    expect(Math.abs(Number(world.leases[id]) - (now + lock.ttlMs))).toBeLessThan(50);
  });

  it('takes the best by (score, id), and no more than asked for', async () => {
    const { scheduler, given } = await suite.open();
    const slow = await given.pending({ priority: 500 });
    const [first, second] = [await given.pending({ priority: 5 }), await given.pending({ priority: 5 })];
    const urgent = await given.pending({ priority: 1 });
    const ids = async (limit: number): Promise<string[]> => (await scheduler.claim('w1', { limit })).tasks.map((task) => task.id);
    expect(await ids(2)).toEqual([urgent, first]);
    expect(await ids(5)).toEqual([second, slow]);
    expect(await ids(5)).toEqual([]);
  });

  it('takes nothing worse than the bound, ties with it included', async () => {
    const { scheduler, given } = await suite.open();
    const tasks = [await given.pending({ priority: 1 }), await given.pending({ priority: 2 }), await given.pending({ priority: 3 })];
    const { tasks: claimed } = await scheduler.claim('w1', { limit: 10, bound: 2 });
    expect(claimed.map((task) => task.id)).toEqual(tasks.slice(0, 2));
    expect((await scheduler.claim('w1', { limit: 10, bound: 2 })).tasks).toEqual([]);
    expect(Object.keys((await scheduler.world()).pending)).toEqual(tasks.slice(2));
  });

  it('keeps an aging score exact in the bound', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending();
    const score = (await scheduler.world()).pending[id] ?? 0;
    expect((await scheduler.claim('w1', { bound: score - 1 })).tasks).toEqual([]);
    expect((await scheduler.claim('w1', { bound: score })).tasks).toHaveLength(1);
  });

  it('claims a hundred in one call', async () => {
    const { scheduler } = await suite.open();
    await Promise.all(Array.from({ length: 150 }, () => scheduler.submit()));
    const { tasks } = await scheduler.claim('w1', { limit: 100 });
    expect(tasks).toHaveLength(100);
    const world = await scheduler.world();
    expect(Object.keys(world.pending)).toHaveLength(50);
    expect(Object.keys(world.locks)).toHaveLength(100);
  });

  it('raises the fence with every run of a task', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.released();
    expect((await scheduler.claimOne('w2')).record).toMatchObject({ fence: 2, worker: 'w2' });
    await given.loseLease(id);
    expect((await scheduler.claimOne('w1')).record).toMatchObject({ fence: 3, worker: 'w1', crashes: 1 });
  });

  it('answers a request that comes again with the same runs, and changes nothing', async () => {
    const { scheduler, given, changes } = await suite.open();
    await Promise.all([given.pending(), given.pending(), given.pending()]);
    const first = await scheduler.claim('w1', { limit: 2, requestId: 'again-1' });
    const changed = await changes(async () => {
      const again = await scheduler.claim('w1', { limit: 2, requestId: 'again-1' });
      expect(again.tasks).toEqual(first.tasks);
    });
    expect(changed).toEqual({});
  });

  it('replays only what is still held at that fence', async () => {
    const { scheduler, given } = await suite.open();
    await Promise.all([given.pending(), given.pending(), given.pending(), given.pending()]);
    const { tasks } = await scheduler.claim('w1', { limit: 4, requestId: 'again-1' });
    const [kept, completed, reaped, cancelled] = tasks.map((task) => task.id);
    if (kept === undefined || completed === undefined || reaped === undefined || cancelled === undefined)
      throw new Error('four were claimed');
    await scheduler.complete('w1', completed, 1);
    await scheduler.queue.cancel(cancelled);
    await given.loseLease(reaped);
    await given.claimed(reaped, 'w1');
    const again = await scheduler.claim('w1', { limit: 4, requestId: 'again-1' });
    // The one that was claimed again is held by the same worker, but at another fence: that is another answer's.
    expect(again.tasks.map((task) => task.id)).toEqual([]);
    expect(await scheduler.state(kept)).toBe('processing');
    suite.expectFaults(scheduler);
  });

  it('does not replay to another worker or under another request', async () => {
    const { scheduler, given } = await suite.open();
    await given.pending();
    await scheduler.claim('w1', { requestId: 'again-1' });
    expect((await scheduler.claim('w10', { requestId: 'again-1' })).tasks).toEqual([]);
    expect((await scheduler.claim('w1', { requestId: 'again-10' })).tasks).toEqual([]);
  });

  it('says paused while the queue is, and still replays', async () => {
    const { scheduler, given, changes } = await suite.open();
    await Promise.all([given.pending(), given.pending()]);
    const first = await scheduler.claim('w1', { requestId: 'again-1' });
    await scheduler.queue.pause();
    expect(await changes(async () => expect(await scheduler.claim('w1')).toEqual({ paused: true, at: 0, tasks: [] }))).toEqual({});
    expect((await scheduler.claim('w1', { requestId: 'again-1' })).tasks).toEqual(first.tasks);
    await scheduler.queue.resume();
    expect((await scheduler.claim('w1')).tasks).toHaveLength(1);
  });

  it('tells a parent how its children ended', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(3);
    const [first = '', second = '', third = ''] = family.children;
    await given.childCompleted(first);
    await given.childDead(second);
    await given.childCompleted(third);
    expect(await scheduler.claimOne('w2')).toMatchObject({ id: family.id, children: { completed: 2, failed: 1, total: 3 } });
  });

  it('writes no lock key where the queue has none, and the lease holds all the same', async () => {
    const { scheduler, given } = await suite.open({ lockKeys: false });
    const { id } = await given.processing();
    const world = await scheduler.world();
    expect(world.locks).toEqual({});
    expect(world.processing).toEqual([id]);
    expect(world.records[id]?.worker).toBe('w1');
  });

  it('passes over an entry without a record, counts it, and gives the next', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending();
    const ghost = id.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    await suite.connection.client.zadd(scheduler.shard.keys.pending, 1, ghost);
    expect((await scheduler.claim('w1', { limit: 2 })).tasks.map((task) => task.id)).toEqual([id]);
    expect((await scheduler.world()).totals['repaired:pending_without_record']).toBe(1);
  });

  it('leaves everything in its place when one record cannot be read', async () => {
    const { scheduler, given, changes } = await suite.open();
    const tasks = [await given.pending({ priority: 1 }), await given.pending({ priority: 2 }), await given.pending({ priority: 3 })];
    const { key, field } = scheduler.recordAt(tasks[1] ?? '');
    const packed = await suite.connection.client.hgetBuffer(key, field);
    if (packed === null) throw new Error('the record is gone');
    const before = await scheduler.world();
    await suite.connection.client.hset(key, field, packed.subarray(0, 10));
    await expect(scheduler.claim('w1', { limit: 3 })).rejects.toThrow(/ERR/);
    await suite.connection.client.hset(key, field, packed);
    expect(await scheduler.world()).toEqual(before);
    expect(await changes(async () => expect((await scheduler.claim('w1', { limit: 3 })).tasks).toHaveLength(3))).not.toEqual({});
  });

  it('takes a task that has ended, or runs, out of the line instead of running it again', async () => {
    const { scheduler, given } = await suite.open();
    const [{ id: done }, { id: cancelled }, { id: running }] = [await given.completed(), await given.cancelled(), await given.processing()];
    await suite.connection.client.zadd(scheduler.shard.keys.pending, 1, done, 1, cancelled, 1, running);
    expect((await scheduler.claim('w2', { limit: 5 })).tasks).toEqual([]);
    expect((await scheduler.world()).totals['repaired:pending_without_record']).toBe(3);
  });

  it('goes on draining a Redis that is full, while submit is refused', async () => {
    const { scheduler, given } = await suite.open();
    const waiting = await given.pending();
    const { id, fence } = await given.processing();
    const due = await given.scheduled();
    await scheduler.makeDue(due);
    await suite.connection.client.config('SET', 'maxmemory', '1');
    try {
      await expect(scheduler.submit()).rejects.toMatchObject({ code: 'redis_full', cause: { message: expect.stringMatching(/OOM/) } });
      await expect(scheduler.queue.pause()).rejects.toMatchObject({ code: 'redis_full' });
      expect(await scheduler.renew('w1', id, fence)).toBe('renewed');
      expect(await scheduler.promote()).toBe(1);
      expect(await scheduler.complete('w1', id, fence)).toBe('completed');
      expect((await scheduler.claimOne('w1')).id).toBe(waiting);
      expect(await scheduler.fail('w1', waiting, 1, { class: 'transient', delayMs: 60_000 })).toBe('retrying');
      expect((await scheduler.claimOne('w1')).id).toBe(due);
      expect(await scheduler.release('w1', due, 1)).toBe('pending');
      expect(await scheduler.queue.cancel(due)).toMatchObject({ word: 'cancelled' });
    } finally {
      await suite.connection.client.config('SET', 'maxmemory', '0');
    }
  });
});
