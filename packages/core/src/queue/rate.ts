import { GalleyError } from '@galley/contract';
import type { Connection } from '../redis/connection.ts';
import { controlChannel, rateKey } from '../redis/keys.ts';
import type { QueueLayout, ShardLayout } from './layout.ts';

/** At most `count` runs of a queue start in any span of `perMs` milliseconds. */
export interface QueueRate {
  readonly count: number;
  readonly perMs: number;
}

const LIMITS = { count: { least: 1, most: 1_000_000 }, perMs: { least: 1_000, most: 86_400_000 } } as const;

/** Said on the control channel of the rate's shard when it was changed. */
export const RATE_WORD = 'rate';

/** The shard whose slot holds the queue's rate and what of it is spent. */
export function rateShard(layout: QueueLayout): ShardLayout {
  const [first] = layout.shardList;
  if (first === undefined) throw new GalleyError('internal_error', `queue ${layout.queue} is stored without shards`);
  return first;
}

/** Throws `invalid_request` for a rate that cannot be kept. */
export function checkRate(rate: QueueRate): void {
  for (const name of ['count', 'perMs'] as const) {
    const { least, most } = LIMITS[name];
    if (!Number.isInteger(rate[name]) || rate[name] < least || rate[name] > most)
      throw new GalleyError('invalid_request', `a queue's rate has a ${name} from ${least} to ${most}, a whole number, not ${rate[name]}`);
  }
}

/** The rate as it is stored; null where the queue has none. */
export async function readRate(connection: Connection, layout: QueueLayout): Promise<QueueRate | null> {
  const [count, perMs] = await connection.client.hmget(rateKey(rateShard(layout).keys.base), 'count', 'per_ms');
  if (typeof count !== 'string' || typeof perMs !== 'string') return null;
  const rate = { count: Number(count), perMs: Number(perMs) };
  checkRate(rate);
  return rate;
}

/** Stores the rate, or takes it away with what was counted of it, and tells the workers. */
export async function writeRate(connection: Connection, layout: QueueLayout, rate: QueueRate | null): Promise<void> {
  const { base } = rateShard(layout).keys;
  if (rate === null) await connection.client.del(rateKey(base));
  else {
    checkRate(rate);
    await connection.client.hset(rateKey(base), { count: rate.count, per_ms: rate.perMs });
  }
  await connection.client.publish(controlChannel(base), RATE_WORD);
}
