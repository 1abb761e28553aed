import { describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { Queue } from '../queue/queue.ts';
import { connectRedis } from '../redis/connection.ts';
import { Given } from '../testing/given.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { conformanceSuite, overCluster } from '../testing/suite.ts';
import { Claimer } from '../worker/claimer.ts';

const suite = conformanceSuite();

interface Claim {
  /** Redis's order of execution, from MONITOR. */
  readonly ids: readonly string[];
}

/** Every claim that Redis carried out, in its own order: the feed publishes one event a script. */
async function followClaims(scheduler: TestScheduler): Promise<{ claims: Claim[]; close(): void }> {
  const subscriber = suite.connection.subscriber();
  const claims: Claim[] = [];
  await subscriber.subscribe(...scheduler.queue.layout.shardList.map((shard) => `${shard.keys.base}feed`));
  subscriber.on('message', (_channel, message) => {
    const [verb, ...ids] = message.split(' ');
    if (verb === 'claimed') claims.push({ ids });
  });
  return { claims, close: () => subscriber.disconnect() };
}

/** Claims everything with several claimers at once; returns what each round trip brought. */
async function drain(scheduler: TestScheduler, claimers: number, free: number): Promise<string[][]> {
  const trips: string[][] = [];
  await Promise.all(
    Array.from({ length: claimers }, async (_, index) => {
      const connection = connectRedis(suite.redis.server.url);
      const queue = await Queue.open(connection, scheduler.queue.name);
      const claimer = new Claimer(connection, [queue], `w${index}`, systemClock);
      let taken = 0;
      let empty = 0;
      while (empty < 3) {
        const claimed = await claimer.claim(1 + ((taken + index) % free), () => false);
        const ids = claimed.flatMap(({ reply }) => reply.tasks.map((task) => task.id));
        trips.push(ids);
        const got = ids.length;
        taken += got;
        empty = got === 0 ? empty + 1 : 0;
        if (got === 0) claimer.refresh();
      }
      await connection.close();
    }),
  );
  return trips;
}

/**
 * Claims, in Redis's order, that took a task while a better one was left in line. A round trip claims from several shards, one
 * script behind the other, and gets its tasks together: what a later script of the same trip takes was not overtaken.
 */
function overtakings(claims: readonly Claim[], trips: readonly string[][], scores: ReadonlyMap<string, number>): string[] {
  const tripOf = new Map(trips.flatMap((ids) => ids.map((id) => [id, ids] as const)));
  const scoreOf = (id: string): number => scores.get(id) ?? Number.NaN;
  const levels = [...new Set(scores.values())].toSorted((a, b) => a - b);
  const left = new Map<number, number>();
  for (const score of scores.values()) left.set(score, (left.get(score) ?? 0) + 1);
  const claimed = new Set<string>();
  const found: string[] = [];
  let from = 0;
  for (const { ids } of claims) {
    for (const id of ids) {
      claimed.add(id);
      left.set(scoreOf(id), (left.get(scoreOf(id)) ?? 0) - 1);
    }
    while (from < levels.length && left.get(levels[from] ?? 0) === 0) from++;
    const coming = new Map<number, number>();
    for (const id of tripOf.get(ids[0] ?? '') ?? []) if (!claimed.has(id)) coming.set(scoreOf(id), (coming.get(scoreOf(id)) ?? 0) + 1);
    const better = levels.slice(from).find((level) => (left.get(level) ?? 0) > (coming.get(level) ?? 0)) ?? Number.POSITIVE_INFINITY;
    for (const id of ids) if (scoreOf(id) > better) found.push(`${id} at ${scoreOf(id)} overtook one at ${better}`);
  }
  return found;
}

describe.each([
  ['strict', 1],
  ['strict', 5],
  ['strict', 100],
  ['aging', 100],
] as const)('P4: order %s over %i priorities, 8 shards, 4 claimers, no arrivals', (order, levels) => {
  it.each([1, 12])('no claim overtakes a better task on any shard, with up to %i slots free', async (free) => {
    const { scheduler } = await suite.open({ shards: 8, order });
    const total = free === 1 ? 800 : 1_600;
    for (let from = 0; from < total; from += 400) {
      await Promise.all(Array.from({ length: 400 }, (_, index) => scheduler.submit({ priority: 1 + (((from + index) * 7_919) % levels) })));
    }
    const scores = new Map<string, number>();
    for (const shard of scheduler.queue.layout.shardList) {
      for (const [id, score] of Object.entries((await scheduler.world(shard)).pending)) scores.set(id, score);
    }
    const { claims, close } = await followClaims(scheduler);
    // The nodes of a cluster have no order in common, so there one claimer's own order is judged.
    const trips = await drain(scheduler, overCluster() ? 1 : 4, free);
    if (overCluster()) claims.splice(0, claims.length, ...trips.map((ids) => ({ ids })));
    close();
    expect(trips.flat()).toHaveLength(total);
    expect(claims.flatMap((claim) => claim.ids)).toHaveLength(total);
    expect(overtakings(claims, trips, scores)).toEqual([]);
  });
});

it('P4: ties between shards rotate, so that no shard starves', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  await Promise.all(Array.from({ length: 160 }, () => scheduler.submit()));
  const connection = connectRedis(suite.redis.server.url);
  const queue = await Queue.open(connection, scheduler.queue.name);
  const claimer = new Claimer(connection, [queue], 'w1', systemClock);
  const counts = new Map<string, number>();
  for (let claim = 0; claim < 80; claim++) {
    for (const { shard, reply } of await claimer.claim(1, () => false))
      counts.set(shard.name, (counts.get(shard.name) ?? 0) + reply.tasks.length);
  }
  await connection.close();
  expect(counts.size).toBe(8);
  for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(5);
});

it('P4: a claimer that is not told of an arrival sees it within its short window', async () => {
  const { scheduler } = await suite.open({ shards: 8 });
  const given = new Given(scheduler);
  await Promise.all(Array.from({ length: 40 }, () => given.pending({ priority: 500 })));
  const connection = connectRedis(suite.redis.server.url);
  const queue = await Queue.open(connection, scheduler.queue.name);
  const clock = { now: systemClock.now, monotonic: () => time };
  let time = 1_000;
  const claimer = new Claimer(connection, [queue], 'w1', clock);
  await claimer.claim(1, () => false);
  const urgent = await given.pending({ priority: 1 });
  time += 25;
  const claimed = await claimer.claim(1, () => false);
  expect(claimed.flatMap(({ reply }) => reply.tasks.map((task) => task.id))).toEqual([urgent]);
  await connection.close();
});
