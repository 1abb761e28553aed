import type { Clock, Random } from '../clock.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { throttledKey } from '../redis/keys.ts';
import { parsePromote, promoteScript } from '../scripts/promote.ts';
import { parseReap, type ReapedRow, reapScript } from '../scripts/reap.ts';
import { lookOut } from './look.ts';
import { ReapGate } from './reap-gate.ts';
import { eachShard, STEP } from './step.ts';

export interface ReturnTasksOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly clock: Clock;
  readonly random: Random;
  readonly periodMs: number;
  readonly onReaped: (row: ReapedRow) => void;
}

interface ReapPass {
  readonly connection: Connection;
  readonly countCrashes: boolean;
  /** Redis's time past which the call comes too late. */
  readonly notAfter: number;
  readonly onReaped: (row: ReapedRow) => void;
}

function reap(queue: Queue, expired: readonly ShardLayout[], { connection, countCrashes, notAfter, onReaped }: ReapPass): Promise<boolean> {
  return eachShard(expired, async (shard) => {
    const values = {
      sequence_at: shard.sequenceAt,
      limit: STEP,
      count_crashes: countCrashes ? 1 : 0,
      not_after: notAfter,
      timeline_ms: timelineMs(queue.settings),
    };
    const rows = parseReap(await connection.run(reapScript, shard.keys, values));
    rows.forEach(onReaped);
    return rows.length;
  });
}

function promote(connection: Connection, queue: Queue, due: readonly ShardLayout[]): Promise<boolean> {
  return eachShard(due, async (shard) => {
    const values = { sequence_at: shard.sequenceAt, limit: STEP, timeline_ms: timelineMs(queue.settings) };
    return parsePromote(await connection.run(promoteScript, shard.keys, values)).promoted;
  });
}

/** How soon after tasks came due the next look is: what comes due one by one is taken together. */
const PACE_MS = 25;
/** Processes wake at the same due time; spread a little, the first promotes and the others see that it is done. */
const SPREAD_MS = 15;

/**
 * Reaper and promoter: put tasks back in line whose lease has run out, and tasks whose time has come. They look together, since looking
 * is all that they mostly do. Returns a pass of both: true where there is more to do, else in how many milliseconds to come again, at
 * the latest after a period and at the soonest when the next task comes due.
 */
export function returnTasks(options: ReturnTasksOptions): () => Promise<boolean | number> {
  const { connection, queues, clock, random, periodMs, onReaped } = options;
  const renewalMs = Math.max(0, ...queues.map((queue) => queue.settings.leaseMs)) / 3;
  const gate = new ReapGate(clock, periodMs, renewalMs);
  const look = lookOut(connection, [
    ...queues.map(({ layout }) => layout.shardList.map((shard) => ({ shard, key: shard.keys.processing }))),
    ...queues.map(({ layout }) =>
      layout.shardList.flatMap((shard) => [shard.keys.due, throttledKey(shard.keys.base)].map((key) => ({ shard, key }))),
    ),
  ]);
  return async () => {
    const { at, ripe, nextInMs } = await look();
    // Asked after Redis has answered, so that a Redis that was frozen until now shows as a gap.
    const verdict = gate.open();
    const pass: ReapPass = { connection, countCrashes: verdict === 'count', notAfter: at + 2 * periodMs, onReaped };
    const steps = queues.flatMap((queue, index) => {
      const expired = verdict === 'hold' ? [] : (ripe[index] ?? []);
      return [reap(queue, expired, pass), promote(connection, queue, ripe[queues.length + index] ?? [])];
    });
    if ((await Promise.all(steps)).some(Boolean)) return true;
    const someDue = ripe.slice(queues.length).some((shards) => shards.length > 0);
    const soonest = someDue ? PACE_MS : Math.min(...nextInMs.slice(queues.length));
    return Math.min(periodMs, soonest + random() * SPREAD_MS);
  };
}
