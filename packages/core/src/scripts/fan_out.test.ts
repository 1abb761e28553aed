import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

describe('fan_out', () => {
  it('puts the children right behind their parent’s place, closes its run, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id, fence } = await given.processing({ priority: 42, identity: ['a'] });
    const changed = await changes(async () =>
      expect(await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 2, last: true })).toEqual({
        word: 'fanned_out',
        state: 'waiting',
      }),
    );
    const children = [`${id}.00001`, `${id}.00002`];
    const born = Object.entries(changed).filter(([path]) => children.some((child) => path.startsWith(`records ${child} `)));
    expect(born).toHaveLength(30);
    expect(Object.fromEntries(Object.entries(changed).filter(([path]) => !born.some(([own]) => own === path)))).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`records ${id} state`]: ['processing', 'waiting'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen | RECORD_FLAGS.hasIdentity, RECORD_FLAGS.hasIdentity | RECORD_FLAGS.isParent],
      ...(changed[`records ${id} since`] === undefined ? {} : { [`records ${id} since`]: [NUMBER, NUMBER] }),
      [`children ${id} total`]: [undefined, 2],
      ...Object.fromEntries(children.map((child) => [`pending ${child}`, [undefined, 42]])),
      ...Object.fromEntries(children.map((child) => [`messages ${child}`, [undefined, '{"type":"child"}\nnull']])),
      'counts processing': [2, 1],
      'counts waiting': [1, 2],
      'counts pending': [3, 5],
      'counts child:pending': [2, 4],
      'totals child:submitted': [2, 4],
    });
  });

  it('waits for as many as there are when a run that was interrupted comes to fewer children', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 5, last: false });
    await scheduler.expireLease(id);
    await scheduler.reap();
    const again = await scheduler.claimOne('w2');
    expect(again.id).toBe(id);
    await scheduler.fanOut('w2', id, again.record.fence, { from: 1, to: 3, total: 3, last: true });
    for (let child = 0; child < 3; child++) {
      const { id: own, record } = await scheduler.claimOne('w2');
      await scheduler.complete('w2', own, record.fence);
    }
    expect(await scheduler.state(id)).toBe('pending');
  });

  it('refuses a second family once the first has ended', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.fanOut('w1', id, fence, { from: 1, to: 1, total: 1, last: true });
    const child = await scheduler.claimOne('w1');
    await scheduler.complete('w1', child.id, child.record.fence);
    const again = await scheduler.claimOne('w1');
    const step = { from: 1, to: 3, total: 3, last: true };
    expect(await scheduler.fanOut('w1', id, again.record.fence, step)).toEqual({ word: 'children_ended' });
    expect(await scheduler.state(id)).toBe('processing');
  });

  it('goes on with the run between steps, and a step sent twice adds nothing', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing();
    const step = { from: 1, to: 2, total: 4, last: false };
    expect(await scheduler.fanOut('w1', id, fence, step)).toEqual({ word: 'fanned_out', state: 'processing' });
    expect(await changes(() => scheduler.fanOut('w1', id, fence, step))).toEqual({});
    await scheduler.fanOut('w1', id, fence, { from: 3, to: 4, total: 4, last: true });
    const changed = await changes(async () =>
      expect(await scheduler.fanOut('w1', id, fence, { from: 3, to: 4, total: 4, last: true })).toEqual({
        word: 'fanned_out',
        state: 'waiting',
      }),
    );
    expect(changed).toEqual({});
    expect((await scheduler.world()).counts).toEqual({ waiting: 1, pending: 4, 'child:pending': 4 });
  });

  it('neither doubles nor loses a child when the worker dies in the middle', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 3, last: false });
    await given.childCompleted(`${id}.00001`);
    await given.loseLease(id);
    const again = await given.claimed(id, 'w2');
    expect(await scheduler.fanOut('w1', id, fence, { from: 3, to: 3, total: 3, last: true })).toEqual({ word: 'lease_lost' });
    expect(await scheduler.fanOut('w2', id, again.fence, { from: 1, to: 3, total: 3, last: true })).toEqual({
      word: 'fanned_out',
      state: 'waiting',
    });
    const world = await scheduler.world();
    expect(world.records[`${id}.00001`]?.state).toBe('completed');
    expect(Object.keys(world.pending)).toEqual([`${id}.00002`, `${id}.00003`]);
    expect(world.children[id]).toEqual({ total: 3, completed: 1 });
  });

  it('puts the parent straight back in line when every child has already ended', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 2, last: false });
    await given.childCompleted(`${id}.00001`);
    await given.childDead(`${id}.00002`);
    expect(await scheduler.fanOut('w1', id, fence, { from: 1, to: 2, total: 2, last: true })).toEqual({
      word: 'fanned_out',
      state: 'pending',
    });
    expect((await scheduler.world()).pending).toEqual({ [id]: 100 });
  });

  it('takes 250 children in one call', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(250);
    expect((await scheduler.claim('w1', { limit: 250 })).tasks.map((task) => task.id)).toEqual(family.children);
  });

  it.each(['reaped', 'released', 'retrying', 'completed', 'cancelled', 'deadLettered'] as const)(
    'refuses the last holder of a %s task',
    async (state) => {
      const { scheduler, given, changes } = await suite.open();
      const { id, worker, fence } = await given[state]();
      const changed = await changes(async () =>
        expect(await scheduler.fanOut(worker, id, fence, { from: 1, to: 2, total: 2, last: true })).toEqual({ word: 'lease_lost' }),
      );
      expect(changed).toEqual({});
    },
  );

  it('tells missing from not yours, and w1 from w10', async () => {
    const { scheduler, given, changes } = await suite.open();
    const { id, fence } = await given.processing({ worker: 'w10' });
    const children = { from: 1, to: 1, total: 1, last: true };
    const changed = await changes(async () => {
      expect(await scheduler.fanOut('w1', id, fence, children)).toEqual({ word: 'lease_lost' });
      expect(await scheduler.fanOut('w10', id, fence + 1, children)).toEqual({ word: 'lease_lost' });
      expect(await scheduler.fanOut('w10', id.replace(/.{6}$/, 'zzzzzz'), fence, children)).toEqual({ word: 'missing' });
    });
    expect(changed).toEqual({});
  });
});
