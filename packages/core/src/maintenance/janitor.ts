import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { parseTrim, trimScript } from '../scripts/trim.ts';
import { lookOut } from './look.ts';
import { eachShard, STEP } from './step.ts';

/** The most ended tasks that each shard of the queue remembers; 0 for no such limit. */
function mostFinished({ settings, layout }: Queue): number {
  return Math.ceil(settings.retentionCount / layout.shards);
}

function trim(connection: Connection, queue: Queue, shards: readonly ShardLayout[]): Promise<boolean> {
  const { settings } = queue;
  return eachShard(shards, async (shard) =>
    parseTrim(
      await connection.run(trimScript, shard.keys, {
        sequence_at: shard.sequenceAt,
        limit: STEP,
        finished_before: settings.retentionMs,
        dead_before: settings.deadRetentionMs,
        finished_most: mostFinished(queue),
        timeline_ms: timelineMs(settings),
      }),
    ),
  );
}

async function overfull(connection: Connection, queue: Queue): Promise<ShardLayout[]> {
  const most = mostFinished(queue);
  if (most === 0) return [];
  const { shardList } = queue.layout;
  const counts = await Promise.all(shardList.map((shard) => connection.client.zcard(shard.keys.finished)));
  return shardList.filter((_, index) => (counts[index] ?? 0) > most);
}

/** Forgets what has outlived its retention. Returns a pass; true where there is more to do. */
export function janitor(connection: Connection, queues: readonly Queue[]): () => Promise<boolean> {
  const look = lookOut(
    connection,
    queues.map(({ layout, settings }) =>
      layout.shardList.flatMap((shard) => [
        { shard, key: shard.keys.finished, afterMs: settings.retentionMs },
        { shard, key: shard.keys.dead, afterMs: settings.deadRetentionMs },
      ]),
    ),
  );
  return async () => {
    const { ripe } = await look();
    const passes = queues.map(async (queue, index) => {
      const shards = new Set([...(ripe[index] ?? []), ...(await overfull(connection, queue))]);
      return trim(connection, queue, [...shards]);
    });
    return (await Promise.all(passes)).some(Boolean);
  };
}
