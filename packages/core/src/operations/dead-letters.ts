import { redisNow } from '../inspector/counts.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import { tagKey } from '../redis/keys.ts';
import type { OperationPlan, OperationStep } from './operations.ts';

const STEP = 200;

/** How far a sorted set of deaths has been gone through. */
interface Place {
  readonly key: string;
  /** Everything that died before this moment, ms, is done or was skipped. */
  from: number;
  /** Of those that died in it, the ones that were skipped. */
  skipped: Set<string>;
}

interface Death {
  readonly id: string;
  readonly at: number;
}

/** The next to have died before a moment, oldest first. It looks past those of one millisecond, however many were skipped. */
async function nextDeaths(connection: Connection, { key, from, skipped }: Place, before: number): Promise<Death[]> {
  const flat = await connection.client.zrange(key, from, `(${before}`, 'BYSCORE', 'LIMIT', 0, STEP + skipped.size, 'WITHSCORES');
  const deaths = Array.from({ length: flat.length / 2 }, (_, index) => ({ id: flat[2 * index] ?? '', at: Number(flat[2 * index + 1]) }));
  return deaths.filter(({ id }) => !skipped.has(id)).slice(0, STEP);
}

/** Steps over a batch: what was done is gone from the set, the rest is still in it. */
function passOver(place: Place, deaths: readonly Death[], outcomes: readonly boolean[]): void {
  const last = deaths.at(-1)?.at ?? place.from;
  if (last !== place.from) place.skipped = new Set();
  place.from = last;
  deaths.forEach(({ id, at }, index) => {
    if (at === last && outcomes[index] !== true) place.skipped.add(id);
  });
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
  const places = layout.shardList.map(
    (shard): Place => ({ key: code === undefined ? shard.keys.dead : tagKey(shard.keys.base, 'code', code), from: 0, skipped: new Set() }),
  );
  const totals = await Promise.all(places.map((place) => connection.client.zcount(place.key, '-inf', `(${before}`)));
  let at = 0;
  const step = async (): Promise<OperationStep> => {
    const place = places[at];
    if (place === undefined) return { done: 0, skipped: 0, finished: true };
    const deaths = await nextDeaths(connection, place, before);
    if (deaths.length === 0) {
      at++;
      return { done: 0, skipped: 0, finished: at >= places.length };
    }
    const outcomes = await act(deaths.map(({ id }) => id));
    passOver(place, deaths, outcomes);
    const done = outcomes.filter(Boolean).length;
    return { done, skipped: deaths.length - done, finished: false };
  };
  return { action, total: totals.reduce((sum, count) => sum + count, 0), step };
}
