import type { ShardLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';

/** A sorted set of times; its first member is the first whose time comes. */
export interface TimedSet {
  readonly shard: ShardLayout;
  readonly key: string;
  /** Milliseconds after a member's time at which something is to be done about it. */
  readonly afterMs?: number;
}

export interface Seen {
  /** Redis's time, milliseconds; 0 where there is nothing that could be late by it. */
  readonly at: number;
  /** Of each group, the shards where the first of one of its sets has come. */
  readonly ripe: readonly (readonly ShardLayout[])[];
  /** Of each group, milliseconds until the first comes of those sets where it has not yet; infinite where there is none. */
  readonly nextInMs: readonly number[];
}

/**
 * Looks whether the first has come of any of these sets, all in one round trip. Mostly none has, and a few reads are far cheaper than
 * a script on every shard; and while nothing waits and nothing runs there are no such sets at all, which one command tells: this is
 * what keeps an idle process idle. Returns how to look.
 */
export function lookOut(connection: Connection, groups: readonly (readonly TimedSet[])[]): () => Promise<Seen> {
  const { client, isCluster } = connection;
  const keys = groups.flatMap((sets) => sets.map(({ key }) => key));
  const nothing: Seen = { at: 0, ripe: groups.map(() => []), nextInMs: groups.map(() => Number.POSITIVE_INFINITY) };
  let sawSome = false;
  return async () => {
    // One command for all of them is for one node.
    if (!sawSome && !isCluster && keys.length > 0 && (await client.exists(...keys)) === 0) return nothing;
    const { at, scores } = await connection.firstScores(keys);
    sawSome = scores.some((score) => score !== null);
    let next = 0;
    const seen = groups.map((sets) => {
      const shards = new Set<ShardLayout>();
      let nextInMs = Number.POSITIVE_INFINITY;
      for (const { shard, afterMs = 0 } of sets) {
        const inMs = (scores[next++] ?? Number.POSITIVE_INFINITY) + afterMs - at;
        if (inMs <= 0) shards.add(shard);
        else nextInMs = Math.min(nextInMs, inMs);
      }
      return { ripe: [...shards], nextInMs };
    });
    return { at, ripe: seen.map(({ ripe }) => ripe), nextInMs: seen.map(({ nextInMs }) => nextInMs) };
  };
}
