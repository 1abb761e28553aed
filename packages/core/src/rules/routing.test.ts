import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { parseTaskId } from './ids.ts';
import { initialRoutingTable, ROUTING_BUCKETS, routingBucket, shardName } from './routing.ts';

const suite = schedulerSuite();

describe('routing', () => {
  it('sends a key to the same bucket, always and everywhere', () => {
    // Stored queues depend on these: a change strands every identity that is held.
    expect(['', 'a', 'user-1', 'ä€😀'].map(routingBucket)).toEqual([11, 435, 748, 369]);
    for (let index = 0; index < 1_000; index++) {
      expect(routingBucket(`key-${index}`)).toBeLessThan(ROUTING_BUCKETS);
      expect(routingBucket(`key-${index}`)).toBeGreaterThanOrEqual(0);
    }
  });

  it.each([2, 8, 13])('spreads keys evenly over %i shards', (shards) => {
    const table = initialRoutingTable(shards);
    const counts = Array.from({ length: shards }, () => 0);
    const keys = 20_000;
    for (let index = 0; index < keys; index++) {
      const shard = table[routingBucket(`user-${index}`)] ?? 0;
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - keys / shards)).toBeLessThan((keys / shards) * 0.15);
  });

  it('gives every bucket a shard and every shard a share', () => {
    for (const shards of [1, 3, 8, 100]) {
      const table = initialRoutingTable(shards);
      expect(table).toHaveLength(ROUTING_BUCKETS);
      expect(new Set(table).size).toBe(shards);
    }
  });

  it('names shards with two digits, with four past a hundred', () => {
    expect([shardName(0, 8), shardName(7, 8), shardName(99, 100), shardName(7, 101), shardName(1023, 1024)]).toEqual([
      '00',
      '07',
      '99',
      '0007',
      '1023',
    ]);
  });

  it('takes tasks without a key in turn, and tasks of one identity or key to one shard', async () => {
    const { scheduler } = await suite.open({ shards: 8 });
    const shardsOf = async (options: object): Promise<(string | undefined)[]> => {
      const tasks = await Promise.all(Array.from({ length: 16 }, () => scheduler.submit(options)));
      return tasks.map((id) => parseTaskId(id)?.shard);
    };
    const turns = await shardsOf({});
    expect(new Set(turns).size).toBe(8);
    for (const shard of new Set(turns)) expect(turns.filter((other) => other === shard)).toHaveLength(2);
    expect(new Set(await shardsOf({ identity: ['same'] })).size).toBe(1);
  });
});
