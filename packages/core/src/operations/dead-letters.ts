import { redisNow } from '../inspector/counts.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import { tagKey } from '../redis/keys.ts';
import type { OperationPlan, OperationStep } from './operations.ts';

const STEP = 200;

/** Dead letters of one shard that died before a moment, oldest first, behind those that were skipped. */
async function oldest(connection: Connection, key: string, before: number, offset: number): Promise<string[]> {
  return connection.client.zrangebyscore(key, '-inf', `(${before}`, 'LIMIT', offset, STEP);
}

/**
 * An operation over the dead letters there are when it begins, all or those of one code: `act` revives or purges a batch
 * and says for each id whether it was done. What dies meanwhile is left alone.
 */
export async function deadLetterPlan(
  queue: Queue,
  action: string,
  code: string | undefined,
  act: (ids: string[]) => Promise<boolean[]>,
): Promise<OperationPlan> {
  const { connection, layout } = queue;
  const before = (await redisNow(connection)) + 1;
  const places = layout.shardList.map((shard) => ({
    key: code === undefined ? shard.keys.dead : tagKey(shard.keys.base, 'code', code),
    skipped: 0,
  }));
  const totals = await Promise.all(places.map((place) => connection.client.zcount(place.key, '-inf', `(${before}`)));
  let at = 0;
  const step = async (): Promise<OperationStep> => {
    const place = places[at];
    if (place === undefined) return { done: 0, skipped: 0, finished: true };
    const ids = await oldest(connection, place.key, before, place.skipped);
    if (ids.length === 0) {
      at++;
      return { done: 0, skipped: 0, finished: at >= places.length };
    }
    const outcomes = await act(ids);
    const done = outcomes.filter(Boolean).length;
    place.skipped += ids.length - done;
    return { done, skipped: ids.length - done, finished: false };
  };
  return { action, total: totals.reduce((sum, count) => sum + count, 0), step };
}
