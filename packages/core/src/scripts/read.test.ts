import { GalleyError } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';

const suite = schedulerSuite();

describe('read', () => {
  it('changes nothing, whatever state a task is in', async () => {
    const { scheduler, given, changes } = await suite.open();
    await given.oneOfEach();
    const tasks = Object.keys((await scheduler.world()).records);
    expect(tasks.length).toBeGreaterThan(5);
    expect(await changes(() => scheduler.inspector.getMany(tasks))).toEqual({});
  });

  it('brings as much of a result as is asked for, in the moment of its task', async () => {
    const { scheduler, given } = await suite.open();
    const result = JSON.stringify({ text: `é${'x'.repeat(400)}` });
    const run = await given.processing();
    expect((await scheduler.inspector.look(run.id, 'whole'))?.result.length).toBe(0);
    await scheduler.complete('w1', run.id, run.fence, result, 60_000);
    const look = async (part: 'none' | 'head' | 'whole'): Promise<string> =>
      (await scheduler.inspector.look(run.id, part))?.result.toString('utf8') ?? 'no such task';
    expect([await look('none'), await look('whole')]).toEqual(['', result]);
    const head = await look('head');
    expect(result.startsWith(head)).toBe(true);
    expect(head.length).toBeGreaterThan(100);
    expect(head.length).toBeLessThan(result.length);
  });

  it('of one turn of the event loop is one round trip, a call for each shard', async () => {
    const { scheduler } = await suite.open({ shards: 2 });
    const ids = await Promise.all(Array.from({ length: 120 }, (_, index) => scheduler.submit({ priority: 1 + index })));
    const calls = async (): Promise<number> =>
      Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await suite.connection.client.info('commandstats'))?.[1]);
    const [warm] = await scheduler.inspector.getMany(ids);
    if (warm !== null && warm !== undefined) await scheduler.inspector.position(warm);
    const before = await calls();
    const views = await Promise.all(ids.map((id) => scheduler.inspector.get(id)));
    const between = await calls();
    expect(between - before).toBe(2);
    expect(views.map((view) => view?.priority)).toEqual(ids.map((_, index) => 1 + index));
    const positions = await Promise.all(views.map((view) => (view === null ? Promise.resolve(null) : scheduler.inspector.position(view))));
    expect(positions).toEqual(ids.map((_, index) => index + 1));
    // 120 rows for each shard, of which one call takes a hundred.
    expect((await calls()) - between).toBe(4);
  });

  it('of a task whose record is of a newer format fails alone', async () => {
    const { scheduler, given } = await suite.open();
    const [sound, strange] = [await given.pending(), await given.pending()];
    const [key = ''] = await suite.connection.client.keys(`${scheduler.shard.keys.base}tasks:*`);
    const record = await suite.connection.client.hgetBuffer(key, strange);
    if (record === null) throw new GalleyError('internal_error', 'the record is not where it belongs');
    record[0] = 99;
    await suite.connection.client.hset(key, strange, record);
    const [first, second] = await Promise.allSettled([scheduler.inspector.get(sound), scheduler.inspector.get(strange)]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { id: sound } });
    expect(second).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('format version 99') } });
    suite.expectFaults(scheduler);
  });
});
