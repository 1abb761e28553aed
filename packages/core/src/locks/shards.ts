import { GalleyError } from '@galley/contract';
import type { Random } from '../clock.ts';
import { routingBucket, shardName } from '../rules/routing.ts';
import type { Lock } from './lock.ts';
import { checkLockName, type TryOptions } from './lock-options.ts';
import type { Locks } from './locks.ts';

const MOST_SHARDS = 1_024;

/** The names of a lock that is cut into shards: `job:shard-00`, `job:shard-01`, … */
export function shardedNames(name: string, shards: number): string[] {
  if (!Number.isInteger(shards) || shards < 1 || shards > MOST_SHARDS) {
    throw new GalleyError('invalid_request', `a lock can be cut into 1 to ${MOST_SHARDS} shards, not ${shards}`);
  }
  checkLockName(name);
  return Array.from({ length: shards }, (_, shard) => `${name}:shard-${shardName(shard, shards)}`);
}

/**
 * The shard that a key belongs to, always the same one: two who lock by the same key exclude each other, and most keys do not.
 * Every process must count the same number of shards.
 */
export function shardOfKey(name: string, key: string, shards: number): string {
  const names = shardedNames(name, shards);
  return names[routingBucket(key) % shards] ?? name;
}

export interface FreeShard {
  readonly shard: number;
  readonly lock: Lock;
}

/**
 * Walks the shards of a lock once, from a random one on, and yields each that is free, held. It never waits: a shard that somebody
 * else holds is passed over. Each is given back when the loop goes on or ends. Renew in the loop what takes longer than the TTL.
 */
export async function* freeShards(
  locks: Locks,
  name: string,
  shards: number,
  options: TryOptions & { readonly random?: Random } = {},
): AsyncGenerator<FreeShard, void, undefined> {
  const names = shardedNames(name, shards);
  const { random = Math.random, ...tryOptions } = options;
  const first = Math.floor(random() * shards);
  for (let step = 0; step < shards; step++) {
    const shard = (first + step) % shards;
    const lock = await locks.tryAcquire(names[shard] ?? name, tryOptions);
    if (lock === null) continue;
    try {
      yield { shard, lock };
    } finally {
      await lock.release();
    }
  }
}
