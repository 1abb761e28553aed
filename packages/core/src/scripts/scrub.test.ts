import { TASK_STATES } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { Scrubber } from '../maintenance/scrubber.ts';
import type { Given, GivenRun } from '../testing/given.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

const idOf = ({ id }: GivenRun): string => id;

/** Steps until every bucket has been looked at twice. */
async function scrub(scheduler: Awaited<ReturnType<typeof suite.open>>['scheduler']): Promise<number> {
  const scrubber = new Scrubber(scheduler.connection, scheduler.queue);
  let mended = 0;
  for (let step = 0; step < 8; step++) mended += await scrubber.step();
  return mended;
}

describe('scrub', () => {
  it('finds nothing to mend in a sound queue', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    expect(await changes(async () => expect(await scrub(scheduler)).toBe(0))).toEqual({});
  });

  it('puts back what stands in no place that its state names', async () => {
    const { scheduler, given } = await suite.open();
    const { client } = suite.connection;
    const { keys } = scheduler.shard;
    const pending = await given.pending({ priority: 7 });
    const scheduled = await given.scheduled();
    const dead = await given.deadLettered();
    const completed = await given.completed();
    await client.zrem(keys.pending, pending);
    await client.zrem(keys.due, scheduled);
    await client.zrem(keys.dead, dead.id);
    await client.zrem(keys.finished, completed.id);
    expect(await scrub(scheduler)).toBe(4);
    const world = await scheduler.world();
    expect(world.pending).toEqual({ [pending]: 7 });
    expect(Object.keys(world.due)).toEqual([scheduled]);
    expect(world.dead).toEqual([dead.id]);
    expect(world.finished).toEqual([completed.id]);
    expect(world.totals['repaired:pending_without_place']).toBe(1);
  });

  it('lets the reaper have a run without a lease', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await suite.connection.client.zrem(scheduler.shard.keys.processing, run.id);
    expect(await scrub(scheduler)).toBe(1);
    await scheduler.reap();
    expect(await scheduler.state(run.id)).toBe('pending');
  });

  it('gives a lock key without a TTL its TTL back (P12)', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await suite.connection.client.persist(scheduler.shard.keys.locks + run.id);
    expect((await scheduler.lock(run.id)).ttlMs).toBe(-1);
    expect(await scrub(scheduler)).toBe(1);
    expect((await scheduler.lock(run.id)).ttlMs).toBeGreaterThan(0);
  });

  it('frees a gate whose holder does not run', async () => {
    const { scheduler, given } = await suite.open();
    const holder = await given.pending({ concurrencyKey: 'k', priority: 1 });
    const parked = await given.pending({ concurrencyKey: 'k', priority: 2 });
    const { tasks } = await scheduler.claim('w1', { limit: 5 });
    await scheduler.complete('w1', holder, tasks[0]?.record.fence ?? 0);
    const again = await scheduler.claimOne('w1');
    expect(again.id).toBe(parked);
    await scheduler.complete('w1', parked, again.record.fence);
    const waits = await given.pending({ concurrencyKey: 'k' });
    await suite.connection.client.sadd(`${scheduler.shard.keys.base}gate:holders:k`, holder);
    expect((await scheduler.claim('w1', { limit: 5 })).tasks).toHaveLength(0);
    expect(await scrub(scheduler)).toBe(1);
    expect((await scheduler.claimOne('w1')).id).toBe(waits);
  });

  it.each([
    ['pending', 'pending_without_place', (given: Given) => given.pending(), 'pending'],
    ['scheduled', 'due_without_place', (given: Given) => given.scheduled(), 'due'],
    ['retrying', 'due_without_place', (given: Given) => given.retrying().then(idOf), 'due'],
    ['dead_letter', 'dead_without_place', (given: Given) => given.deadLettered().then(idOf), 'dead'],
    ['completed', 'ended_without_place', (given: Given) => given.completed().then(idOf), 'finished'],
    ['cancelled', 'ended_without_place', (given: Given) => given.cancelled().then(idOf), 'finished'],
    ['processing', 'run_without_lease', (given: Given) => given.processing().then(idOf), 'processing'],
  ] as const)('counts what it mends of a %s task as %s, and mends it once, for all who look', async (state, what, make, place) => {
    const { scheduler, given } = await suite.open();
    await given.oneOfEach();
    const id = await make(given);
    await suite.connection.client.zrem(scheduler.shard.keys[place], id);
    const mended = await Promise.all([scrub(scheduler), scrub(scheduler)]);
    expect(mended[0] + mended[1]).toBe(1);
    expect((await scheduler.world()).totals[`repaired:${what}`]).toBe(1);
    expect(await suite.connection.client.zscore(scheduler.shard.keys[place], id)).not.toBeNull();
    expect(await scheduler.state(id)).toBe(state);
  });

  it('puts back in line what is parked nowhere', async () => {
    const { scheduler, given } = await suite.open();
    await given.pending({ concurrencyKey: 'k', priority: 1 });
    const parked = await given.pending({ concurrencyKey: 'k', priority: 2 });
    await scheduler.claim('w1', { limit: 5 });
    await suite.connection.client.zrem(`${scheduler.shard.keys.base}parked:k`, parked);
    expect(await scrub(scheduler)).toBe(1);
    const world = await scheduler.world();
    expect([world.pending, world.parked, world.totals['repaired:parked_without_place']]).toEqual([{ [parked]: 2 }, {}, 1]);
  });

  it('lets go what is parked behind nobody', async () => {
    const { scheduler, given } = await suite.open();
    const holder = await given.pending({ concurrencyKey: 'k', priority: 1 });
    const parked = await given.pending({ concurrencyKey: 'k', priority: 2 });
    const { tasks } = await scheduler.claim('w1', { limit: 5 });
    await suite.connection.client.srem(`${scheduler.shard.keys.base}gate:holders:k`, holder);
    await scheduler.complete('w1', holder, tasks[0]?.record.fence ?? 0);
    expect((await scheduler.world()).parked).toEqual({ [parked]: 2 });
    expect(await scrub(scheduler)).toBe(1);
    expect((await scheduler.world()).totals['repaired:parked_without_holder']).toBe(1);
    expect((await scheduler.claimOne('w1')).id).toBe(parked);
  });

  it('wakes a parent that waits for nobody', async () => {
    const { scheduler, given } = await suite.open();
    const { client } = suite.connection;
    const { keys } = scheduler.shard;
    const family = await given.waitingForChildren();
    for (const child of family.children) await given.childCompleted(child);
    // As if the last child's script had not seen that it was the last.
    const { key, field } = scheduler.recordAt(family.id);
    const record = await client.hgetBuffer(key, field);
    if (record === null) throw new Error('the record is gone');
    record.writeUInt8(TASK_STATES.indexOf('waiting'), 1);
    await client.hset(key, field, record);
    await client.zrem(keys.pending, family.id);
    await client.hset(keys.counts, { pending: 0, waiting: 1, 'band:normal': 0 });
    expect(await scheduler.state(family.id)).toBe('waiting');
    expect(await scrub(scheduler)).toBe(1);
    expect(await scheduler.state(family.id)).toBe('pending');
    expect((await scheduler.world()).totals['repaired:waiting_for_nobody']).toBe(1);
  });

  it('puts a parent back in line whose children have all ended', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren();
    for (const child of family.children) {
      const run = await given.claimed(child);
      await scheduler.complete(run.worker, run.id, run.fence);
    }
    const run = await given.claimed(family.id);
    await scheduler.release(run.worker, run.id, run.fence);
    await suite.connection.client.zrem(scheduler.shard.keys.pending, family.id);
    expect(await scrub(scheduler)).toBe(1);
    expect(await scheduler.state(family.id)).toBe('pending');
  });
});
