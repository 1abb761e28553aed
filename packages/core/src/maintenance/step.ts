import type { ShardLayout } from '../queue/layout.ts';

/** The most tasks that one call of a chore's script touches. */
export const STEP = 100;

/** One step of a script on each of these shards; true where one filled its step, so there is more. */
export async function eachShard(shards: readonly ShardLayout[], step: (shard: ShardLayout) => Promise<number>): Promise<boolean> {
  const counts = await Promise.all(shards.map(step));
  return counts.some((count) => count >= STEP);
}
