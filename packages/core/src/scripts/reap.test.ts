import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('reap', () => {
  it('puts a task back whose lease ran out, counts a crash, keeps the run open, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id } = await given.processing({ priority: 42 });
    await scheduler.expireLease(id);
    const changed = await changes(async () => expect(await scheduler.reap()).toEqual([{ id, fence: 1, worker: 'w1', state: 'pending' }]));
    expect(changed).toEqual({
      [`leases ${id}`]: [1, undefined],
      [`processing ${id}`]: [true, undefined],
      [`pending ${id}`]: [undefined, 42],
      [`errors ${id}`]: [undefined, 'crash'],
      [`records ${id} state`]: ['processing', 'pending'],
      [`records ${id} crashes`]: [0, 1],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts processing': [2, 1],
      'counts pending': [3, 4],
      'totals crashed': [undefined, 1],
    });
  });

  it('leaves leases that hold', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.processing();
    expect(await changes(async () => expect(await scheduler.reap()).toEqual([]))).toEqual({});
  });

  it('deletes a lock key that outlived its lease entry', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.processing();
    await suite.connection.client.zadd(scheduler.shard.keys.processing, 'XX', 1, id);
    await scheduler.reap();
    expect((await scheduler.lock(id)).value).toBeNull();
    expect((await scheduler.claimOne('w2')).id).toBe(id);
    expect((await scheduler.lock(id)).value).toBe('w2#2');
  });

  it('counts nothing when the gap was ours', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.processing({ crashBudget: 1 });
    await scheduler.expireLease(id);
    expect(await scheduler.reap({ countCrashes: false })).toMatchObject([{ id, state: 'pending' }]);
    const world = await scheduler.world();
    expect(world.records[id]).toMatchObject({ crashes: 0, attempts: 0 });
    expect(world.errors).toEqual({});
    expect(world.totals.crashed).toBeUndefined();
  });

  it('buries a task whose crash budget is spent, under crash_loop, with its run still open', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.crashLooped({ identity: ['a'] });
    const world = await scheduler.world();
    expect(world.records[id]).toMatchObject({ state: 'dead_letter', crashes: 1, attempts: 0 });
    expect(world.errors[id]).toBe('crash crash_loop');
    expect(world.tags).toEqual({ 'code:crash_loop': [id] });
    expect(world.identities).toEqual({});
    expect([world.pending, world.processing, world.locks]).toEqual([{}, [], {}]);
  });

  it('resumes the parent of a child that it buries', async () => {
    const { scheduler, given } = await suite.open({ settings: { crashBudget: 1 } });
    const family = await given.waitingForChildren(1);
    const [child = ''] = family.children;
    await given.claimed(child);
    await given.loseLease(child);
    expect(await scheduler.state(family.id)).toBe('pending');
  });

  it('takes at most its limit, the longest expired first', async () => {
    const { scheduler, given } = await suite.open();
    const runs = [await given.processing(), await given.processing(), await given.processing()];
    const { processing } = scheduler.shard.keys;
    for (const [index, run] of runs.entries()) await suite.connection.client.zadd(processing, 'XX', 3 - index, run.id);
    expect((await scheduler.reap({ limit: 2 })).map((row) => row.id)).toEqual([runs[2]?.id, runs[1]?.id]);
    expect((await scheduler.reap({ limit: 2 })).map((row) => row.id)).toEqual([runs[0]?.id]);
  });

  it('never resurrects: an entry without a running record is dropped and counted', async () => {
    const { scheduler, given } = await suite.open();
    const { id: cancelled } = await given.cancelled();
    const { id: completed } = await given.completed();
    const ghost = completed.replace(/.{6}$/, 'zzzzzz');
    await suite.connection.client.zadd(scheduler.shard.keys.processing, 1, cancelled, 1, completed, 1, ghost);
    expect(await scheduler.reap()).toEqual([]);
    const world = await scheduler.world();
    expect([world.pending, world.processing]).toEqual([{}, []]);
    expect(world.totals['repaired:lease_without_run']).toBe(3);
  });

  it('that was held up does nothing past its time', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id } = await given.processing();
    await scheduler.expireLease(id);
    const now = await scheduler.inspector.now();
    expect(await changes(async () => expect(await scheduler.reap({ notAfter: now - 1 })).toEqual([]))).toEqual({});
    expect(await scheduler.reap({ notAfter: now + 60_000 })).toHaveLength(1);
  });

  it('wakes the idle', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.processing({ priority: 9 });
    await scheduler.expireLease(id);
    const subscriber = suite.connection.subscriber();
    await subscriber.subscribe(`${scheduler.shard.keys.base}wake`);
    const heard = new Promise<string>((resolve) => subscriber.on('message', (_channel, message) => resolve(message)));
    await scheduler.reap();
    expect(await heard).toBe('9');
    subscriber.disconnect();
  });
});
