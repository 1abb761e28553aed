import { redisNow } from '../inspector/counts.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';

/**
 * The shards where the head of one of these sorted sets of times has come. Mostly there is none, and a few reads in one
 * round trip are far cheaper than a script on every shard: this is what keeps an idle process idle.
 */
export async function ripeShards(
  connection: Connection,
  queue: Queue,
  keysOf: (shard: ShardLayout) => readonly string[],
): Promise<ShardLayout[]> {
  const shards = queue.layout.shardList;
  const reads = shards.flatMap((shard) => keysOf(shard).map((key) => ({ shard, key })));
  const [now, { heads }] = await Promise.all([
    redisNow(connection),
    connection.roundTrip(
      [],
      reads.map(({ key }) => ({ key, count: 1 })),
    ),
  ]);
  if (heads instanceof Error) throw heads;
  const ripe = reads.filter((_, index) => {
    const score = heads[index]?.[1];
    return score !== undefined && Number(score) <= now;
  });
  return [...new Set(ripe.map(({ shard }) => shard))];
}
