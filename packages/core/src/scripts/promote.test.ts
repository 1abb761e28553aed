import { describe, expect, it } from 'vitest';
import { timelineMs } from '../queue/settings.ts';
import { schedulerSuite } from '../testing/suite.ts';
import { parsePromote, promoteScript } from './promote.ts';

const suite = schedulerSuite();

describe('promote', () => {
  it('puts a due task in line at its own score, and changes nothing else', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const id = await given.scheduled({ priority: 42 });
    await scheduler.makeDue(id);
    const changed = await changes(async () => expect(await scheduler.promote()).toBe(1));
    expect(changed).toEqual({
      [`due ${id}`]: [1, undefined],
      [`pending ${id}`]: [undefined, 42],
      [`records ${id} state`]: ['scheduled', 'pending'],
      'counts scheduled': [2, 1],
      'counts pending': [3, 4],
    });
  });

  it('brings a retrying task back with its fence, attempts and place', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.retrying({ priority: 7 });
    await scheduler.makeDue(id);
    await scheduler.promote();
    expect(await scheduler.get(id)).toMatchObject({ state: 'pending', score: 7, fence: 1, attempts: 1 });
  });

  it('leaves what is not due yet', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.scheduled();
    await given.retrying();
    expect(await changes(async () => expect(await scheduler.promote()).toBe(0))).toEqual({});
  });

  it('takes at most its limit, the earliest first, and says when the next is due', async () => {
    const { scheduler, given } = await suite.open();
    const tasks = await Promise.all(Array.from({ length: 5 }, () => given.scheduled()));
    const { keys, sequenceAt } = scheduler.shard;
    for (const [index, id] of tasks.entries()) await suite.connection.client.zadd(keys.due, 'XX', index + 1, id);
    const step = async (): Promise<unknown> =>
      parsePromote(
        await suite.connection.run(promoteScript, keys, {
          sequence_at: sequenceAt,
          limit: 3,
          timeline_ms: timelineMs(scheduler.queue.settings),
        }),
      );
    expect(await step()).toEqual({ promoted: 3, nextDueAt: 4 });
    expect(Object.keys((await scheduler.world()).pending).toSorted()).toEqual(tasks.slice(0, 3).toSorted());
    expect(await step()).toEqual({ promoted: 2, nextDueAt: null });
  });

  it('does not bring a task back that has ended: a stray entry is dropped and counted', async () => {
    const { scheduler, given } = await suite.open();
    const [{ id: done }, { id: running }] = [await given.completed(), await given.processing()];
    const waiting = await given.pending();
    const ghost = waiting.replace(/.{6}$/, 'zzzzzz');
    await suite.connection.client.zadd(scheduler.shard.keys.due, 1, done, 1, running, 1, waiting, 1, ghost);
    expect(await scheduler.promote()).toBe(0);
    const world = await scheduler.world();
    expect(world.due).toEqual({});
    expect(Object.keys(world.pending)).toEqual([waiting]);
    expect(world.totals['repaired:due_without_record']).toBe(4);
  });
});
