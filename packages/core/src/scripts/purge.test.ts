import { describe, expect, it } from 'vitest';
import { purgeOnce } from '../testing/batches.ts';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

async function keysOf(id: string): Promise<string[]> {
  const { client } = suite.connection;
  const keys = await client.keys('*');
  const holding: string[] = [];
  for (const key of keys) {
    const type = await client.type(key);
    if (key.includes(id)) holding.push(key);
    else if (type === 'hash' && (await client.hexists(key, id)) === 1) holding.push(key);
    else if (type === 'hash' && (await client.hvals(key)).includes(id)) holding.push(key);
    else if (type === 'zset' && (await client.zscore(key, id)) !== null) holding.push(key);
  }
  return holding;
}

describe('purge', () => {
  it('purges an id that is given twice once, and answers alike for both', async () => {
    const { scheduler, given } = await suite.open();
    const [{ id }, waiting] = [await given.deadLettered(), await given.pending()];
    expect(await scheduler.queue.purge([id, waiting, id])).toEqual(['purged', 'not_final', 'purged']);
    expect((await scheduler.inspector.totals()).purged).toBe(1);
  });

  it.each(['completed', 'cancelled', 'deadLettered', 'crashLooped'] as const)(
    'leaves no trace of a %s task, and changes nothing else',
    async (state) => {
      const { scheduler, given, changes } = await suite.open({ settings: { timelines: true } });
      const before = await scheduler.world();
      const { id } = await given[state]({ identity: ['a'], tags: { user: 'u1', filename: 'f' } });
      expect(await scheduler.inspector.events(id)).not.toEqual([]);
      expect((await keysOf(id)).length).toBeGreaterThan(4);
      const changed = await changes(async () => expect(await scheduler.queue.purge([id])).toEqual(['purged']));
      expect(await keysOf(id)).toEqual([]);
      const after = await scheduler.world();
      expect({ ...after, totals: {} }).toEqual({ ...before, totals: {} });
      expect(Object.keys(changed).filter((path) => path.startsWith('totals '))).toEqual(['totals purged']);
    },
  );

  it('takes the children with the parent, in bounded steps', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.assembled(5, { identity: ['a'], tags: { user: 'u1' } });
    expect(await purgeOnce(scheduler, [family.id], 2)).toEqual(['more']);
    expect(Object.keys((await scheduler.world()).records)).toHaveLength(4);
    expect(await purgeOnce(scheduler, [family.id], 2)).toEqual(['more']);
    expect(await purgeOnce(scheduler, [family.id], 2)).toEqual(['purged']);
    const world = await scheduler.world();
    expect({ ...world, totals: {} }).toEqual({ ...(await (await suite.open()).scheduler.world()), totals: {} });
  });

  it('spends one budget over all its rows', async () => {
    const { scheduler, given } = await suite.open();
    const tasks = [await given.completed(), await given.completed(), await given.completed()].map((run) => run.id);
    expect(await purgeOnce(scheduler, tasks, 2)).toEqual(['purged', 'purged', 'more']);
  });

  it.each(['pending', 'scheduled', 'processing', 'reaped', 'retrying', 'waitingForChildren'] as const)(
    'leaves a %s task alone and says so',
    async (state) => {
      const { scheduler, given, changes } = await suite.open();
      const seeded = await given[state]();
      const id = typeof seeded === 'string' ? seeded : seeded.id;
      expect(await changes(async () => expect(await scheduler.queue.purge([id])).toEqual(['not_final']))).toEqual({});
    },
  );

  it('answers row by row: missing is not not_final, and one id twice is purged once', async () => {
    const { scheduler, given } = await suite.open();
    const [dead, live] = [await given.deadLettered(), await given.pending()];
    expect(await purgeOnce(scheduler, [dead.id, dead.id, live, live.replace(/.{6}$/, 'zzzzzz')], 100)).toEqual([
      'purged',
      'missing',
      'not_final',
      'missing',
    ]);
  });

  it('does not free an identity that another task has taken since', async () => {
    const { scheduler, given } = await suite.open();
    const dead = await given.deadLettered({ identity: ['a'] });
    const live = await given.pending({ identity: ['a'] });
    await scheduler.queue.purge([dead.id]);
    expect(Object.values((await scheduler.world()).identities)).toEqual([live]);
  });

  it('answers a late word of the last holder with missing', async () => {
    const { scheduler, given } = await suite.open();
    const { id, worker, fence } = await given.crashLooped();
    await scheduler.queue.purge([id]);
    expect(await scheduler.complete(worker, id, fence)).toBe('missing');
    expect(await scheduler.renew(worker, id, fence)).toBe('missing');
  });

  it('keeps a parent whole from which a dead child was purged', async () => {
    const { scheduler, given } = await suite.open();
    const family = await given.waitingForChildren(2);
    const [first = '', second = ''] = family.children;
    await given.childDead(first);
    expect(await scheduler.queue.purge([first])).toEqual(['purged']);
    await given.childCompleted(second);
    expect(await scheduler.state(family.id)).toBe('pending');
  });
});
