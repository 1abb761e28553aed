import { describe, expect, it } from 'vitest';
import { RECORD_FLAGS } from '../rules/record.ts';
import { cancelOnce } from '../testing/batches.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();
const NUMBER = expect.any(Number);

/** What is said on the control channel while `act` runs. */
async function controlWords(scheduler: TestScheduler, act: () => Promise<unknown>): Promise<string[]> {
  const subscriber = suite.connection.subscriber();
  const heard: string[] = [];
  const channel = `${scheduler.shard.keys.base}control`;
  await subscriber.subscribe(channel);
  const ended = new Promise<void>((resolve) =>
    subscriber.on('message', (_channel, message) => (message === 'end' ? resolve() : void heard.push(message))),
  );
  await act();
  await suite.connection.client.publish(channel, 'end');
  await ended;
  subscriber.disconnect();
  return heard;
}

describe('cancel', () => {
  it('ends a running task, tells its holder, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const { id } = await given.processing();
    let changed = {};
    const words = await controlWords(scheduler, async () => {
      changed = await changes(async () => expect(await scheduler.queue.cancel(id)).toEqual({ word: 'cancelled', nextChild: 0 }));
    });
    expect(words).toEqual([`cancel ${id} 1`]);
    expect(changed).toEqual({
      [`leases ${id}`]: [NUMBER, undefined],
      [`processing ${id}`]: [true, undefined],
      [`locks ${id}`]: ['w1#1', undefined],
      [`finished ${id}`]: [undefined, true],
      [`records ${id} state`]: ['processing', 'cancelled'],
      [`records ${id} flags`]: [RECORD_FLAGS.runOpen, 0],
      ...(`records ${id} since` in changed ? { [`records ${id} since`]: [NUMBER, NUMBER] } : {}),
      'counts processing': [2, 1],
      'counts cancelled': [1, 2],
      'totals cancelled': [1, 2],
    });
  });

  it('tells the holder of a reaped run, which is still at work', async () => {
    const { scheduler, given } = await suite.open();
    const { id, fence } = await given.reaped();
    expect(await controlWords(scheduler, () => scheduler.queue.cancel(id))).toEqual([`cancel ${id} ${fence}`]);
  });

  it('tells nobody of a task that no one holds', async () => {
    const { scheduler, given } = await suite.open();
    const tasks = [await given.pending(), (await given.retrying()).id, (await given.released()).id, await given.scheduled()];
    expect(
      await controlWords(scheduler, async () => {
        for (const id of tasks) await scheduler.queue.cancel(id);
      }),
    ).toEqual([]);
  });

  it.each(['pending', 'scheduled', 'processing', 'reaped', 'retrying', 'waitingForChildren'] as const)(
    'ends a %s task: out of its place, identity free, never claimed or promoted again',
    async (state) => {
      const { scheduler, given } = await suite.open();
      const seed = { identity: ['a'], tags: { user: 'u1' } };
      const seeded = state === 'waitingForChildren' ? await given.waitingForChildren(3, seed) : await given[state](seed);
      const id = typeof seeded === 'string' ? seeded : seeded.id;
      expect(await scheduler.queue.cancel(id)).toMatchObject({ word: 'cancelled' });
      await scheduler.reap();
      await scheduler.promote();
      const world = await scheduler.world();
      expect(world.finished).toEqual([id]);
      expect([world.pending, world.due, world.processing, world.locks, world.identities]).toEqual([{}, {}, [], {}, {}]);
      expect(world.tags).toEqual({ 'user:u1': [id] });
      expect((await scheduler.claim('w2', { limit: 10 })).tasks).toEqual([]);
    },
  );

  it.each([
    ['completed', 'completed'],
    ['cancelled', 'cancelled'],
    ['deadLettered', 'dead_letter'],
    ['crashLooped', 'dead_letter'],
  ] as const)('changes nothing of a %s task and says so', async (state, named) => {
    const { scheduler, given, changes } = await suite.open();
    const { id } = await given[state]();
    expect(await changes(async () => expect(await scheduler.queue.cancel(id)).toEqual({ word: 'final', state: named }))).toEqual({});
  });

  it('says missing for an id that is not there, or not of this queue', async () => {
    const { scheduler, given } = await suite.open();
    const id = await given.pending();
    expect(await scheduler.queue.cancel(id.replace(/.{6}$/, 'zzzzzz'))).toEqual({ word: 'missing' });
    expect(await scheduler.queue.cancel('other-00-000000000001-aaaaaa')).toEqual({ word: 'missing' });
    expect(await scheduler.queue.cancel('no id at all')).toEqual({ word: 'missing' });
  });

  it('takes a parent with its children in bounded steps, and leaves ended ones alone', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(5);
    const [done = '', dead = '', running = ''] = family.children;
    await given.childCompleted(done);
    await given.childDead(dead);
    await given.claimed(running);
    expect(await cancelOnce(scheduler, family.id, 0, 2)).toEqual({ word: 'cancelled', nextChild: 3 });
    expect(await cancelOnce(scheduler, family.id, 3, 2)).toEqual({ word: 'cancelled', nextChild: 5 });
    expect(await cancelOnce(scheduler, family.id, 5, 2)).toEqual({ word: 'cancelled', nextChild: 0 });
    const states = (await scheduler.inspector.getMany(family.children)).map((child) => child?.state);
    expect(states).toEqual(['completed', 'dead_letter', 'cancelled', 'cancelled', 'cancelled']);
    expect((await scheduler.claim('w2', { limit: 10 })).tasks).toEqual([]);
  });

  it('answers that the cancellation is whole, of a family that took it several calls', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(201);
    expect(await scheduler.queue.cancel(family.id)).toEqual({ word: 'cancelled', nextChild: 0 });
    expect((await scheduler.world()).counts).toEqual({ cancelled: 202, 'child:cancelled': 201 });
  });

  it('goes on where a killed caller stopped when it is asked again', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(5);
    expect(await cancelOnce(scheduler, family.id, 0, 2)).toEqual({ word: 'cancelled', nextChild: 3 });
    // The caller died here; a person presses Cancel again.
    expect(await scheduler.queue.cancel(family.id)).toMatchObject({ word: 'cancelled' });
    expect((await scheduler.inspector.getMany(family.children)).map((child) => child?.state)).toEqual(Array(5).fill('cancelled'));
    expect(await scheduler.queue.cancel(family.id)).toEqual({ word: 'final', state: 'cancelled' });
  });

  it('ends children that a killed caller left behind when they would be claimed', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(5);
    const other = await given.waitingForChildren(1);
    await cancelOnce(scheduler, family.id, 0, 2);
    expect((await scheduler.claim('w2', { limit: 10 })).tasks.map((task) => task.id)).toEqual(other.children);
    expect((await scheduler.inspector.getMany(family.children)).map((child) => child?.state)).toEqual(Array(5).fill('cancelled'));
  });

  it('counts a cancelled child as ended on its parent', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await scheduler.queue.cancel(first);
    await given.childCompleted(second);
    const world = await scheduler.world();
    expect(world.pending).toEqual({ [family.id]: 100 });
    expect(world.children[family.id]).toEqual({ total: 2, completed: 1, failed: 1 });
  });

  it('ends a parent that is still fanning out, and takes no more children', async () => {
    const { scheduler, given } = await suite.open();
    const run = await given.processing();
    await scheduler.fanOut('w1', run.id, run.fence, { from: 1, to: 2, total: 4, last: false });
    await scheduler.queue.cancel(run.id);
    expect(await scheduler.fanOut('w1', run.id, run.fence, { from: 3, to: 4, total: 4, last: true })).toEqual({ word: 'lease_lost' });
    expect((await scheduler.world()).counts).toEqual({ cancelled: 3, 'child:cancelled': 2 });
  });
});
