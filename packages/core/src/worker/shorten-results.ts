import type { QueueLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { resultKey } from '../redis/keys.ts';
import { parseTaskId } from '../rules/ids.ts';

const CHUNK = 500;

/** Has the results of these tasks go in `milliseconds` from now where they would have stayed longer; never lengthens one. */
export async function shortenResults(
  connection: Connection,
  layout: QueueLayout,
  ids: readonly string[],
  milliseconds: number,
): Promise<void> {
  const keys = ids.flatMap((id) => {
    const parsed = parseTaskId(id);
    const shard = parsed === null || parsed.queue !== layout.queue ? undefined : layout.shardNamed(parsed.shard);
    return shard === undefined ? [] : [{ shard, key: resultKey(shard.keys.base, id) }];
  });
  // A pipeline stays on one shard, so that it holds on a cluster too.
  for (const shard of new Set(keys.map((entry) => entry.shard))) {
    const own = keys.filter((entry) => entry.shard === shard);
    for (let from = 0; from < own.length; from += CHUNK) {
      const pipeline = connection.client.pipeline();
      for (const { key } of own.slice(from, from + CHUNK)) pipeline.pexpire(key, milliseconds, 'LT');
      for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
    }
  }
}
