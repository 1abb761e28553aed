import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('revive', () => {
  it('puts a dead letter back in its own place with clean counts and the fence it had, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id } = await given.deadLettered({ priority: 42 });
    const changed = await changes(async () => expect(await scheduler.queue.revive([id])).toEqual(['revived']));
    expect(changed).toEqual({
      [`dead ${id}`]: [true, undefined],
      [`tags code:corrupt_document ${id}`]: [true, undefined],
      [`pending ${id}`]: [undefined, 42],
      [`records ${id} state`]: ['dead_letter', 'pending'],
      [`records ${id} attempts`]: [1, 0],
      [`records ${id} worker`]: ['w1', ''],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      'counts dead_letter': [2, 1],
      'counts dead:corrupt_document': [2, 1],
      'counts pending': [3, 4],
      'totals revived': [undefined, 1],
    });
    expect((await scheduler.get(id)).fence).toBe(1);
  });

  it('starts both counts clean, so the whole budget is there again', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.crashLooped();
    await scheduler.queue.revive([id]);
    expect(await scheduler.get(id)).toMatchObject({ crashes: 0, attempts: 0, state: 'pending' });
    expect((await scheduler.world()).records[id]?.flags).toBe(0);
    expect((await scheduler.get(id)).errors.map((error) => error.code)).toEqual(['crash', 'crash_loop']);
  });

  it('revives an id that is given twice once, and answers alike for both', async () => {
    const { scheduler, given } = await suite.open({ shards: 2 });
    const [{ id }, { id: other }, waiting] = [await given.deadLettered(), await given.deadLettered(), await given.pending()];
    expect(await scheduler.queue.revive([id, other, id, waiting, id])).toEqual(['revived', 'revived', 'revived', 'not_dead', 'revived']);
    expect((await scheduler.inspector.totals()).revived).toBe(2);
  });

  it('takes the identity again', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.deadLettered({ identity: ['a'] });
    expect((await scheduler.world()).identities).toEqual({});
    await scheduler.queue.revive([id]);
    expect(await scheduler.queue.submit('work', null, { identity: ['a'] })).toMatchObject({ id, duplicate: true });
  });

  it.each(['pending', 'completed'] as const)('refuses when a %s task has taken the identity, and changes nothing', async (state) => {
    const { scheduler, given, changes } = await suite.open();
    const { id } = await given.deadLettered({ identity: ['a'] });
    await given[state]({ identity: ['a'] });
    expect(await changes(async () => expect(await scheduler.queue.revive([id])).toEqual(['identity_taken']))).toEqual({});
  });

  it.each(['deadLettered', 'cancelled'] as const)('takes the identity from a %s task', async (state) => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.deadLettered({ identity: ['a'] });
    await given[state]({ identity: ['a'] });
    expect(await scheduler.queue.revive([id])).toEqual(['revived']);
  });

  it('gives one of two dead letters of an identity back, and refuses the other', async () => {
    const { scheduler, given } = await suite.open();
    const [first, second] = [await given.deadLettered({ identity: ['a'] }), await given.deadLettered({ identity: ['a'] })];
    expect(await scheduler.queue.revive([first.id, second.id])).toEqual(['revived', 'identity_taken']);
  });

  it('answers row by row over shards, one id twice in it once', async () => {
    const { scheduler, given } = await suite.open();
    const [dead, live] = [await given.deadLettered(), await given.pending()];
    const missing = live.replace(/.{6}$/, 'zzzzzz');
    expect(await scheduler.queue.revive([missing, dead.id, live, 'no id'])).toEqual(['missing', 'revived', 'not_dead', 'missing']);
  });

  it('revives more than one batch', async () => {
    const { scheduler, given } = await suite.open();
    const tasks = [];
    for (let index = 0; index < 205; index++) tasks.push((await given.deadLettered()).id);
    expect(new Set(await scheduler.queue.revive(tasks))).toEqual(new Set(['revived']));
    expect((await scheduler.world()).counts).toEqual({ pending: 205 });
  });

  describe('of a child', () => {
    it('lets a waiting parent wait on', async () => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(2);
      const [first = ''] = family.children;
      await given.childDead(first);
      expect(await scheduler.queue.revive([first])).toEqual(['revived']);
      const world = await scheduler.world();
      expect(world.children[family.id]).toEqual({ total: 2 });
      expect(world.records[family.id]).toMatchObject({ state: 'waiting', fence: 1 });
    });

    it('re-opens a completed parent: it waits, its fence rises, its result is gone, and its identity held', async () => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(2, { identity: ['document'] });
      const [first = '', second = ''] = family.children;
      await given.childDead(first);
      await given.childCompleted(second);
      const run = await given.claimed(family.id);
      await scheduler.complete('w1', run.id, run.fence);
      expect(await scheduler.queue.revive([first])).toEqual(['revived']);
      const world = await scheduler.world();
      expect(world.records[family.id]).toMatchObject({ state: 'waiting', fence: run.fence + 1 });
      expect(world.results[family.id]).toBeUndefined();
      expect(world.finished).toEqual([]);
      expect(Object.values(world.identities)).toEqual([family.id]);
      expect(await scheduler.complete('w1', run.id, run.fence)).toBe('lease_lost');
      await given.childCompleted(first);
      expect(await scheduler.state(family.id)).toBe('pending');
    });

    it('takes a parent back that is in line or at work, and tells its holder', async () => {
      const { scheduler, given } = await suite.open();
      for (const atWork of [false, true]) {
        const family = await given.waitingForChildren(1);
        const [child = ''] = family.children;
        await given.childDead(child);
        const run = atWork ? await given.claimed(family.id) : null;
        expect(await scheduler.queue.revive([child])).toEqual(['revived']);
        expect(await scheduler.state(family.id)).toBe('waiting');
        if (run !== null) expect(await scheduler.complete('w1', run.id, run.fence)).toBe('lease_lost');
        await given.childCompleted(child);
      }
    });

    it('re-opens a parent that died of its children', async () => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(1, { identity: ['document'] });
      const [child = ''] = family.children;
      await given.childDead(child);
      const run = await given.claimed(family.id);
      await scheduler.fail('w1', family.id, run.fence, { class: 'permanent', code: 'child_failed' });
      expect(await scheduler.queue.revive([child])).toEqual(['revived']);
      const world = await scheduler.world();
      expect(world.records[family.id]).toMatchObject({ state: 'waiting', attempts: 0, fence: run.fence + 1 });
      expect([world.dead, world.tags]).toEqual([[], {}]);
      expect(Object.values(world.identities)).toEqual([family.id]);
    });

    it('leaves a parent alone that is still fanning out', async () => {
      const { scheduler, given } = await suite.open();
      const { id, fence } = await given.processing();
      await scheduler.fanOut('w1', id, fence, { from: 1, to: 1, total: 2, last: false });
      await given.childDead(`${id}.00001`);
      expect(await scheduler.queue.revive([`${id}.00001`])).toEqual(['revived']);
      expect(await scheduler.fanOut('w1', id, fence, { from: 2, to: 2, total: 2, last: true })).toEqual({
        word: 'fanned_out',
        state: 'waiting',
      });
      await given.childCompleted(`${id}.00001`);
      await given.childCompleted(`${id}.00002`);
      expect(await scheduler.state(id)).toBe('pending');
    });

    it('lets a parent that died while it fanned out be revived by itself, and run again', async () => {
      const { scheduler, given } = await suite.open();
      const { id, fence } = await given.processing();
      await scheduler.fanOut('w1', id, fence, { from: 1, to: 1, total: 2, last: false });
      await given.childDead(`${id}.00001`);
      await scheduler.fail('w1', id, fence, { class: 'permanent', code: 'engine_failed' });
      expect(await scheduler.queue.revive([`${id}.00001`])).toEqual(['revived']);
      expect(await scheduler.state(id)).toBe('dead_letter');
      expect(await scheduler.queue.revive([id])).toEqual(['revived']);
      expect(await scheduler.state(id)).toBe('pending');
    });

    it('refuses when the parent was cancelled, and where another task has the parent’s identity', async () => {
      const { scheduler, given, changes } = await suite.open();
      const cancelled = await given.waitingForChildren(2);
      const [dead = ''] = cancelled.children;
      await given.childDead(dead);
      await scheduler.queue.cancel(cancelled.id);
      const lost = await given.waitingForChildren(1, { identity: ['document'] });
      const [page = ''] = lost.children;
      await given.childDead(page);
      const run = await given.claimed(lost.id);
      await scheduler.complete('w1', lost.id, run.fence, '');
      await given.pending({ identity: ['document'] });
      const changed = await changes(async () =>
        expect(await scheduler.queue.revive([dead, page])).toEqual(['parent_gone', 'identity_taken']),
      );
      expect(changed).toEqual({});
    });

    it.each(['parent first', 'child first'])('and of its dead parent in one batch, %s, leaves each in one place', async (order) => {
      const { scheduler, given } = await suite.open();
      const family = await given.waitingForChildren(1);
      const [child = ''] = family.children;
      await given.childDead(child);
      const run = await given.claimed(family.id);
      await scheduler.fail('w1', family.id, run.fence, { class: 'permanent', code: 'child_failed' });
      const ids = order === 'parent first' ? [family.id, child] : [child, family.id];
      await scheduler.queue.revive(ids);
      const world = await scheduler.world();
      expect(world.records[family.id]?.state).toBe('waiting');
      expect(Object.keys(world.pending)).toEqual([child]);
    });
  });
});
