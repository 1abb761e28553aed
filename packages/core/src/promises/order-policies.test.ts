import { describe, expect, it } from 'vitest';
import { resultKey } from '../redis/keys.ts';
import { AGING_ALLOWANCE_MS } from '../rules/order.ts';
import { conformanceSuite } from '../testing/suite.ts';

const suite = conformanceSuite();
type Scheduler = Awaited<ReturnType<typeof suite.open>>['scheduler'];

/** Whose tasks come out, in order. */
async function drain(scheduler: Scheduler, owners: ReadonlyMap<string, string>): Promise<string> {
  let order = '';
  for (;;) {
    const heads = await Promise.all(
      scheduler.queue.layout.shardList.map(async (shard) => {
        const [id = '', score] = await suite.connection.client.zrange(shard.keys.pending, '0', '0', 'WITHSCORES');
        return { shard, id, score: score === undefined ? Number.POSITIVE_INFINITY : Number(score) };
      }),
    );
    const best = heads.reduce((one, other) => (other.score < one.score ? other : one));
    if (best.id === '') return order;
    await scheduler.claim('w1', { shard: best.shard });
    order += owners.get(best.id) ?? '?';
  }
}

describe('aging order', () => {
  it('scores a task by its submit time and an allowance that grows with its number', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending({ priority: 7 });
    const task = await scheduler.get(id);
    expect(task.score).toBe(task.createdAt + 7 * AGING_ALLOWANCE_MS);
  });

  it('lets no task overtake one that was submitted more than its bound earlier', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const bulk = await given.pending({ priority: 1000 });
    const urgent = await given.pending({ priority: 1 });
    expect((await scheduler.claimOne('w1')).id).toBe(urgent);
    const bound = (1000 - 1) * AGING_ALLOWANCE_MS;
    const [waiting, late] = [await scheduler.get(bulk), await given.pending({ priority: 1 })];
    const overtakes = (await scheduler.get(late)).score;
    // Had it been submitted a bound later, it would stand behind.
    expect(overtakes + bound + 1_000).toBeGreaterThan(waiting.score);
  });

  it('keeps the score through a crash, a hand-back, a retry and a revival', async () => {
    const { scheduler, given } = await suite.open({ order: 'aging' });
    const id = await given.pending({ priority: 50 });
    const { score } = await scheduler.get(id);
    const crashed = await scheduler.claimOne('w1');
    await scheduler.expireLease(id);
    await scheduler.reap();
    expect((await scheduler.get(id)).score).toBe(score);
    const released = await scheduler.claimOne('w1');
    expect(released.record.fence).toBe(crashed.record.fence + 1);
    await scheduler.release('w1', id, released.record.fence);
    const failed = await scheduler.claimOne('w1');
    await scheduler.fail('w1', id, failed.record.fence);
    await scheduler.makeDue(id);
    await scheduler.promote();
    const dead = await scheduler.claimOne('w1');
    await scheduler.fail('w1', id, dead.record.fence, { class: 'permanent' });
    await scheduler.queue.revive([id]);
    expect((await scheduler.world()).pending).toEqual({ [id]: score });
  });
});

describe('fair order', () => {
  it('serves users of one priority in turn, so that many tasks of one do not starve the few of another', async () => {
    const { scheduler } = await suite.open({ order: 'fair', shards: 4 });
    const owners = new Map<string, string>();
    for (const { id } of await Promise.all(Array.from({ length: 200 }, () => scheduler.queue.submit('work', null, { fairUser: 'heavy' }))))
      owners.set(id, 'h');
    for (const { id } of await Promise.all(Array.from({ length: 10 }, () => scheduler.queue.submit('work', null, { fairUser: 'light' }))))
      owners.set(id, 'l');
    const order = await drain(scheduler, owners);
    expect(order).toHaveLength(210);
    // All ten of the light user come out within the first twenty-odd, not behind two hundred.
    expect(order.lastIndexOf('l')).toBeLessThanOrEqual(22);
  });

  it('keeps priorities strict above turns', async () => {
    const { scheduler } = await suite.open({ order: 'fair', shards: 2 });
    const owners = new Map<string, string>();
    for (let index = 0; index < 5; index++)
      owners.set((await scheduler.queue.submit('work', null, { fairUser: 'a', priority: 100 })).id, 'n');
    owners.set((await scheduler.queue.submit('work', null, { fairUser: 'a', priority: 10 })).id, 'H');
    expect(await drain(scheduler, owners)).toBe('Hnnnnn');
  });

  it('gives who comes back after a pause no turns saved up', async () => {
    const { scheduler } = await suite.open({ order: 'fair', shards: 2 });
    const owners = new Map<string, string>();
    const add = async (user: string, count: number): Promise<void> => {
      for (let index = 0; index < count; index++) owners.set((await scheduler.queue.submit('work', null, { fairUser: user })).id, user);
    };
    await add('a', 30);
    await drain(scheduler, owners);
    await add('a', 10);
    await add('b', 10);
    const order = await drain(scheduler, owners);
    expect(order.slice(0, 10)).toMatch(/^(ab|ba)/);
    expect(
      order
        .slice(0, 10)
        .split('')
        .filter((user) => user === 'b').length,
    ).toBe(5);
  });

  it('takes no turn of a user for a duplicate, alone or among new tasks', async () => {
    const { scheduler } = await suite.open({ order: 'fair', shards: 2 });
    const submit = (identity: string, priority = 100): Promise<{ id: string; duplicate: boolean }> =>
      scheduler.queue.submit('work', null, { fairUser: 'a', identity: [identity], priority });
    const { id: first } = await submit('first');
    for (let again = 0; again < 3; again++) expect(await submit('first')).toMatchObject({ id: first, duplicate: true });
    const mixed = await Promise.all(['first', 'second', 'first', 'third'].map((identity) => submit(identity)));
    expect(mixed.map(({ duplicate }) => duplicate)).toEqual([true, false, true, false]);
    const score = async (id: string): Promise<number> => (await scheduler.get(id)).score;
    const [start, second, third] = await Promise.all([first, mixed[1]?.id ?? '', mixed[3]?.id ?? ''].map(score));
    expect([second, third]).toEqual([Number(start) + 1, Number(start) + 2]);
    // One that lifts the task that is there needs a turn of the better priority.
    expect(await submit('third', 10)).toMatchObject({ id: mixed[3]?.id, duplicate: true });
    expect((await scheduler.claimOne('w1')).id).toBeTypeOf('string');
    expect((await scheduler.get(mixed[3]?.id ?? '')).priority).toBe(10);
  });

  it('gives a task its turn whose identity was held by one that has ended', async () => {
    const { scheduler, given } = await suite.open({ order: 'fair' });
    const { id: gone } = await given.completed({ identity: ['same'], resultLifeMs: 60_000 });
    await scheduler.connection.client.del(resultKey(scheduler.shard.keys.base, gone));
    const waiting = await scheduler.queue.submit('work', null, { fairUser: 'a' });
    const fresh = await scheduler.queue.submit('work', null, { fairUser: 'a', identity: ['same'] });
    expect(fresh.duplicate).toBe(false);
    expect((await scheduler.get(fresh.id)).score).toBe((await scheduler.get(waiting.id)).score + 1);
  });

  it('takes the user from the tag where none is named, and moves a task to a turn of its new priority', async () => {
    const { scheduler } = await suite.open({ order: 'fair' });
    const first = await scheduler.queue.submit('work', null, { tags: { user: 'a' }, priority: 100 });
    const second = await scheduler.queue.submit('work', null, { tags: { user: 'a' }, priority: 100 });
    await scheduler.queue.reprioritize(second.id, 10);
    expect((await scheduler.claimOne('w1')).id).toBe(second.id);
    expect((await scheduler.claimOne('w1')).id).toBe(first.id);
  });
});
