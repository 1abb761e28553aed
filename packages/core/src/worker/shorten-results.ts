import { groupByShard } from '../queue/by-shard.ts';
import type { QueueLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { resultKey } from '../redis/keys.ts';

const CHUNK = 500;

/** Has the results of these tasks go in `milliseconds` from now where they would have stayed longer; never lengthens one. */
export async function shortenResults(
  connection: Connection,
  layout: QueueLayout,
  ids: readonly string[],
  milliseconds: number,
): Promise<void> {
  // A pipeline stays on one shard, so that it holds on a cluster too.
  for (const [shard, own] of groupByShard(layout, ids)) {
    for (let from = 0; from < own.length; from += CHUNK) {
      const pipeline = connection.client.pipeline();
      for (const id of own.slice(from, from + CHUNK)) pipeline.pexpire(resultKey(shard.keys.base, id), milliseconds, 'LT');
      for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
    }
  }
}
