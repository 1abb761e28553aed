import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

describe('reprioritize', () => {
  it('moves a waiting task to the place its new score gives it, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const id = await given.pending();
    const changed = await changes(async () =>
      expect(await scheduler.queue.reprioritize(id, 7)).toEqual({ word: 'reprioritized', state: 'pending' }),
    );
    expect(changed).toEqual({
      [`pending ${id}`]: [100, 7],
      [`records ${id} priority`]: [100, 7],
      [`records ${id} score`]: [100, 7],
    });
  });

  it.each(['scheduled', 'processing', 'reaped', 'retrying', 'waitingForChildren'] as const)(
    'leaves a %s task where it is, at a new score',
    async (state) => {
      const { scheduler, given } = await suite.open();
      const seeded = await given[state]();
      const id = typeof seeded === 'string' ? seeded : seeded.id;
      const before = await scheduler.state(id);
      expect(await scheduler.queue.reprioritize(id, 7)).toEqual({ word: 'reprioritized', state: before });
      expect(await scheduler.get(id)).toMatchObject({ state: before, priority: 7, score: 7 });
    },
  );

  it('lets a running task keep its run, and takes the new place when it comes back', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.processing();
    await scheduler.queue.reprioritize(id, 7);
    expect(await scheduler.renew('w1', id, fence)).toBe('renewed');
    await scheduler.release('w1', id, fence);
    expect((await scheduler.world()).pending).toEqual({ [id]: 7 });
  });

  it('keeps the time of submit under aging', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending();
    await scheduler.queue.reprioritize(id, 7);
    const record = (await scheduler.world()).records[id];
    expect(record?.score).toBe(Number(record?.createdAt) + 7_000);
  });

  it('takes the children of a waiting parent along, since they are its work', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(3);
    const [first = '', second = '', third = ''] = family.children;
    await given.childCompleted(first);
    await given.claimed(second);
    await scheduler.queue.reprioritize(family.id, 7);
    const world = await scheduler.world();
    expect(world.pending).toEqual({ [third]: 7 });
    expect(world.records[second]).toMatchObject({ state: 'processing', score: 7 });
    expect(world.records[first]).toMatchObject({ state: 'completed', score: 100 });
  });

  it.each([
    ['completed', 'completed'],
    ['cancelled', 'cancelled'],
    ['deadLettered', 'dead_letter'],
  ] as const)('changes nothing of a %s task', async (state, named) => {
    const { scheduler, given, changes } = await suite.open();
    const { id } = await given[state]();
    expect(await changes(async () => expect(await scheduler.queue.reprioritize(id, 7)).toEqual({ word: 'final', state: named }))).toEqual(
      {},
    );
  });

  it('answers null for an id that is not there, and refuses a priority that is none', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending();
    expect(await scheduler.queue.reprioritize(id.replace(/.{6}$/, 'zzzzzz'), 7)).toBeNull();
    expect(await scheduler.queue.reprioritize('no id', 7)).toBeNull();
    await expect(scheduler.queue.reprioritize(id, 0)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(scheduler.queue.reprioritize(id, 1.5)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
