import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { lookOut, type Seen } from './look.ts';

const suite = schedulerSuite();

async function looking(): Promise<{
  look: () => Promise<Seen>;
  put: (set: 'due' | 'dead', shard: number, inMs: number) => Promise<unknown>;
}> {
  const { scheduler } = await suite.open({ shards: 4 });
  suite.expectFaults(scheduler);
  const { shardList } = scheduler.queue.layout;
  const look = lookOut(suite.connection, [
    shardList.map((shard) => ({ shard, key: shard.keys.due })),
    shardList.map((shard) => ({ shard, key: shard.keys.dead, afterMs: 60_000 })),
  ]);
  const put = async (set: 'due' | 'dead', shard: number, inMs: number): Promise<unknown> =>
    suite.connection.client.zadd(shardList[shard]?.keys[set] ?? '', (await scheduler.inspector.now()) + inMs, `task ${inMs}`);
  return { look, put };
}

const names = ({ ripe }: Seen): string[][] => ripe.map((shards) => shards.map(({ name }) => name));

describe('a look at times', () => {
  it('names the shards where the first has come, each where its own time is over, and no others', async () => {
    const { look, put } = await looking();
    await put('due', 1, -1);
    await put('due', 2, 10_000);
    await put('dead', 0, -61_000);
    await put('dead', 3, -59_000);
    const seen = await look();
    expect(names(seen)).toEqual([['01'], ['00']]);
    const [due = 0, dead = 0] = seen.nextInMs;
    expect([due > 9_000 && due <= 10_000, dead > 0 && dead <= 1_000]).toEqual([true, true]);
  });

  it('sees what comes after there was nothing, and what comes behind it', async () => {
    const { look, put } = await looking();
    expect(names(await look())).toEqual([[], []]);
    await put('due', 3, 10_000);
    expect(names(await look())).toEqual([[], []]);
    await put('due', 3, -1);
    expect(names(await look())).toEqual([['03'], []]);
  });

  it('costs one command while there is nothing, however many shards there are', async () => {
    const { look } = await looking();
    const { client } = suite.connection;
    await look();
    await client.config('RESETSTAT');
    for (let time = 0; time < 3; time++) await look();
    const stats = await client.info('commandstats');
    expect(
      [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].flatMap(([, name, calls]) => (name === 'config' ? [] : [`${name} ${calls}`])),
    ).toEqual(['exists 3']);
  });
});
