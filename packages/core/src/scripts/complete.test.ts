import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { completeAll } from '../testing/batches.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

function totalsOf(changed: Record<string, unknown>, prefix: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(changed).filter(([path]) => path.startsWith(prefix)));
}

describe('complete', () => {
  it('ends the run with its result, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing();
    const changed = await changes(async () => expect(await scheduler.complete('w1', id, fence, '{"text":"hi"}')).toBe('completed'));
    expect(changed).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`finished ${id}`]: [undefined, true],
      [`results ${id}`]: [undefined, '{"text":"hi"}'],
      [`records ${id} state`]: ['processing', 'completed'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen, 0],
      [`records ${id} progress`]: [0, 1],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts processing': [2, 1],
      'counts completed': [1, 2],
      'totals completed': [1, 2],
      ...totalsOf(changed, 'totals run:'),
    });
  });

  it('gives the result a life of its own in Redis', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.completed({ resultLifeMs: 5_000 });
    const ttl = await suite.connection.client.pttl(`${scheduler.shard.keys.base}result:${id}`);
    expect(ttl).toBeGreaterThan(4_000);
    expect(ttl).toBeLessThanOrEqual(5_000);
  });

  it('stores none where the handler returned nothing, and frees the identity then', async () => {
    const { scheduler, given } = await suite.open();
    await given.completed({ identity: ['empty'], result: '' });
    const held = await given.completed({ identity: ['held'] });
    const world = await scheduler.world();
    expect(Object.keys(world.results)).toEqual([held.id]);
    expect(Object.values(world.identities)).toEqual([held.id]);
  });

  it('accepts from the open run wherever a reap has put the task', async () => {
    const { scheduler, given } = await suite.open();
    const [inLine, dead] = [await given.reaped({ identity: ['a'] }), await given.crashLooped({ identity: ['b'] })];
    expect(await scheduler.complete('w1', inLine.id, inLine.fence)).toBe('completed');
    expect(await scheduler.complete('w1', dead.id, dead.fence)).toBe('completed');
    const world = await scheduler.world();
    expect([world.pending, world.dead, world.tags]).toEqual(
      [{}, [], { 'code:crash_loop': [] }].map((value, at) => (at === 2 ? {} : value)),
    );
    expect(world.counts).toEqual({ completed: 2 });
    expect(await scheduler.claim('w2')).toMatchObject({ tasks: [] });
    // Their results are held, so their identities are taken: also the one that its death had freed.
    expect(Object.values(world.identities).toSorted()).toEqual([inLine.id, dead.id].toSorted());
  });

  it('leaves an identity to the task that took it after the crash loop', async () => {
    const { scheduler, given } = await suite.open();
    const dead = await given.crashLooped({ identity: ['a'] });
    const taker = await given.pending({ identity: ['a'] });
    expect(await scheduler.complete('w1', dead.id, dead.fence)).toBe('completed');
    expect(Object.values((await scheduler.world()).identities)).toEqual([taker]);
  });

  it('answers the same when it is asked again', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.completed();
    expect(await changes(async () => expect(await scheduler.complete('w1', id, fence, '"other"')).toBe('completed'))).toEqual({});
  });

  it.each([
    ['released', 'lease_lost'],
    ['retrying', 'lease_lost'],
    ['cancelled', 'cancelled'],
    ['deadLettered', 'lease_lost'],
    ['waitingForChildren', 'lease_lost'],
  ] as const)('refuses the last holder of a %s task: %s', async (state, word) => {
    const { scheduler, given, changes } = await suite.open();
    const { id, worker, fence } = state === 'waitingForChildren' ? await given.waitingForChildren() : await given[state]();
    expect(await changes(async () => expect(await scheduler.complete(worker, id, fence)).toBe(word))).toEqual({});
  });

  it('tells missing from not yours, and w1 from w10', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing({ worker: 'w10' });
    const cancelled = await given.cancelled({ worker: 'w10' });
    const gone = await given.deadLettered();
    await scheduler.queue.purge([gone.id]);
    const changed = await changes(async () => {
      expect(await scheduler.complete('w1', id, fence)).toBe('lease_lost');
      expect(await scheduler.complete('w100', id, fence)).toBe('lease_lost');
      expect(await scheduler.complete('w10', id, fence + 1)).toBe('lease_lost');
      expect(await scheduler.complete('w1', cancelled.id, cancelled.fence)).toBe('lease_lost');
      expect(await scheduler.complete('w1', gone.id, gone.fence)).toBe('missing');
    });
    expect(changed).toEqual({});
  });

  it('answers a batch row by row, one task twice in it once', async () => {
    const { scheduler, given } = await suite.open();
    const [good, foreign, late] = [await given.processing(), await given.processing({ worker: 'w2' }), await given.released()];
    expect(await completeAll(scheduler, 'w1', [good, foreign, late, good])).toEqual(['completed', 'lease_lost', 'lease_lost', 'completed']);
    expect((await scheduler.world()).totals.completed).toBe(1);
  });

  it('completes a hundred in one call', async () => {
    const { scheduler } = await suite.open();
    await Promise.all(Array.from({ length: 100 }, () => scheduler.submit()));
    const { tasks } = await scheduler.claim('w1', { limit: 100 });
    const words = await completeAll(
      scheduler,
      'w1',
      tasks.map((task) => ({ id: task.id, fence: 1 })),
    );
    expect(words.filter((word) => word === 'completed')).toHaveLength(100);
    expect((await scheduler.world()).counts).toEqual({ completed: 100 });
  });

  it('adds what the handler counted, and ignores what is no count', async () => {
    const { scheduler, given } = await suite.open();
    const [first, second] = [await given.processing(), await given.processing()];
    await completeAll(scheduler, 'w1', [
      { ...first, counters: 'pages=3,blocks=10' },
      { ...second, counters: 'pages=2,blocks=NaN,lines=-4' },
    ]);
    const { totals } = await scheduler.world();
    expect(totals).toMatchObject({ 'counter:pages': 5, 'counter:blocks': 10 });
    expect(Object.keys(totals)).not.toContain('counter:lines');
  });

  describe('of children', () => {
    it('puts the parent back in line in the script of the last one, at its own score', async () => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(3, { priority: 42 });
      const [first = '', second = '', third = ''] = family.children;
      await given.childCompleted(first);
      await given.childCompleted(third);
      expect(await scheduler.state(family.id)).toBe('waiting');
      await given.childCompleted(second);
      const world = await scheduler.world();
      expect(world.pending).toEqual({ [family.id]: 42 });
      expect(world.children[family.id]).toEqual({ total: 3, completed: 3 });
      expect(world.finished).toEqual([]);
    });

    it('resumes the parent once when the last two end in one batch', async () => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(2);
      const runs = [];
      for (const id of family.children) runs.push(await given.claimed(id));
      expect(await completeAll(scheduler, 'w1', runs)).toEqual(['completed', 'completed']);
      const world = await scheduler.world();
      expect(Object.keys(world.pending)).toEqual([family.id]);
      expect(world.counts).toEqual({ completed: 2, 'child:completed': 2, pending: 1 });
    });

    it('takes a late result of a crash-looped child back from the failed', async () => {
      const { scheduler, given } = await suite.open({ settings: { crashBudget: 1 } });
      const family = await given.waitingForChildren(2);
      const [first = ''] = family.children;
      const run = await given.claimed(first);
      await given.loseLease(first);
      expect((await scheduler.world()).children[family.id]).toEqual({ total: 2, failed: 1 });
      expect(await scheduler.complete('w1', first, run.fence)).toBe('completed');
      expect((await scheduler.world()).children[family.id]).toEqual({ total: 2, completed: 1 });
      expect(await scheduler.state(family.id)).toBe('waiting');
    });
  });

  it('of a crash-looped child after its parent was assembled re-opens the parent, which runs again', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childCompleted(first);
    const crashed = await given.claimed(second, 'w7');
    // Its budget is spent by crash after crash, and the last run stays open.
    let run = crashed;
    while ((await scheduler.state(second)) !== 'dead_letter') {
      await given.loseLease(second);
      if ((await scheduler.state(second)) === 'pending') run = await given.claimed(second, 'w7');
    }
    const assembly = await given.claimed(family.id, 'w1');
    await scheduler.complete('w1', family.id, assembly.fence);
    expect(await scheduler.state(family.id)).toBe('completed');
    expect(await scheduler.complete('w7', second, run.fence, '"late"')).toBe('completed');
    expect(await scheduler.get(family.id)).toMatchObject({
      state: 'pending',
      children: { total: 2, completed: 2, failed: 0 },
      resultExpiresAt: null,
    });
  });
});
