import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

describe('trim', () => {
  it('forgets everything that has ended and outlived its retention, and leaves the living', async () => {
    const { scheduler, given } = await suite.open();
    await given.completed({ identity: ['a'], tags: { user: 'u1' } });
    await given.cancelled();
    await given.deadLettered();
    await given.assembled(2);
    const living = [await given.pending(), await given.scheduled(), (await given.processing()).id, (await given.retrying()).id];
    const family = await given.waitingForChildren(1);
    expect(await scheduler.trim()).toBe(6);
    const world = await scheduler.world();
    expect(Object.keys(world.records).toSorted()).toEqual([...living, family.id, ...family.children].toSorted());
    expect(world.totals.trimmed).toBe(6);
  });

  it('leaves nothing behind when all is trimmed', async () => {
    const { scheduler, given } = await suite.open();
    await given.assembled(3, { identity: ['a'], tags: { user: 'u1' } });
    await given.deadLettered({ identity: ['b'] });
    await scheduler.trim();
    const world = await scheduler.world();
    expect({ ...world, totals: {} }).toEqual({ ...(await (await suite.open()).scheduler.world()), totals: {} });
  });

  it('keeps what is within its retention', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.completed();
    await given.deadLettered();
    expect(await changes(async () => expect(await scheduler.trim(60_000)).toBe(0))).toEqual({});
  });

  it('removes at most its limit a call, children counted, the oldest first, and comes to an end', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.assembled(5);
    const later = await given.completed();
    expect(await scheduler.trim(-1, 3)).toBe(3);
    expect((await scheduler.world()).records[family.id]).toBeDefined();
    expect(await scheduler.trim(-1, 3)).toBe(3);
    expect(await scheduler.trim(-1, 3)).toBeLessThanOrEqual(3);
    expect(Object.keys((await scheduler.world()).records)).not.toContain(later.id);
    expect(await scheduler.trim(-1, 3)).toBe(0);
  });

  it('keeps of the finished no more than it is to remember, the oldest going before their time', async () => {
    const { scheduler, given } = await suite.open();
    const ended: string[] = [];
    for (let index = 0; index < 6; index++) {
      const { id } = await (index % 2 === 0 ? given.completed() : given.cancelled());
      await suite.connection.client.zadd(scheduler.shard.keys.finished, 'XX', 1_000 + index, id);
      ended.push(id);
    }
    const dead = await given.deadLettered();
    const family = await given.assembled(3);
    const hour = 3_600_000_000_000;
    // Children go with their parent and are not counted as remembered; dead letters are nobody's surplus.
    expect(await scheduler.trim(hour, 100, 3)).toBe(4);
    expect((await scheduler.world()).finished.toSorted()).toEqual([...ended.slice(4), family.id].toSorted());
    expect(await scheduler.state(dead.id)).toBe('dead_letter');
    expect(await scheduler.trim(hour, 100, 3)).toBe(0);
    expect(await scheduler.trim(hour, 1, 1)).toBe(1);
    expect(await scheduler.trim(hour, 100, 1)).toBe(1);
    expect((await scheduler.world()).finished).toEqual([family.id]);
  });

  it('by age and by count in one call counts none twice, and of those that ended in one moment takes no more than are too many', async () => {
    const { scheduler, given } = await suite.open();
    const now = await scheduler.inspector.now();
    const ended: string[] = [];
    for (let index = 0; index < 8; index++) {
      const { id } = await given.completed();
      await suite.connection.client.zadd(scheduler.shard.keys.finished, 'XX', index < 3 ? 1_000 : now, id);
      ended.push(id);
    }
    expect(await scheduler.trim(3_600_000, 100, 2)).toBe(6);
    expect((await scheduler.world()).finished).toEqual(ended.slice(-2));
    expect((await scheduler.world()).totals).toMatchObject({ trimmed: 6 });
    expect((await scheduler.world()).totals).not.toHaveProperty('repaired:index_without_record');
  });

  it('drops an entry without a record, and counts it', async () => {
    const { scheduler, given } = await suite.open();
    const { id } = await given.completed();
    const ghost = id.replace(/.{6}$/, 'zzzzzz');
    await suite.connection.client.zadd(scheduler.shard.keys.finished, 1, ghost);
    await suite.connection.client.zadd(scheduler.shard.keys.dead, 1, ghost);
    await scheduler.trim(60_000);
    const world = await scheduler.world();
    expect(world.finished).toEqual([id]);
    expect(world.totals['repaired:index_without_record']).toBe(2);
  });

  it('drops a dead child by itself, and its parent is whole', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childDead(first);
    expect(await scheduler.trim()).toBe(1);
    await given.childCompleted(second);
    expect(await scheduler.state(family.id)).toBe('pending');
  });
});
