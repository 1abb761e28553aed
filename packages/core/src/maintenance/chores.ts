import { type Clock, systemClock } from '../clock.ts';
import { redisNow } from '../inspector/counts.ts';
import { Leadership, Locks, RedisLockStore } from '../locks/index.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import type { Connection } from '../redis/connection.ts';
import { throttledKey } from '../redis/keys.ts';
import { parsePromote, promoteScript } from '../scripts/promote.ts';
import { parseReap, type ReapedRow, reapScript } from '../scripts/reap.ts';
import { parseTrim, trimScript } from '../scripts/trim.ts';
import { Chore, type Lifecycle, type Logger, silentLogger } from './chore.ts';
import { recordHistory } from './history.ts';
import { ripeShards } from './ripe.ts';
import { Scrubber } from './scrubber.ts';

export interface ChoresOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Milliseconds between passes of the reaper and the promoter. */
  readonly periodMs?: number;
}

/** DESIGN P5: the reaper's default period. */
export const CHORE_PERIOD_MS = 1_000;
const JANITOR_PERIOD_MS = 10_000;
const HISTORY_PERIOD_MS = 5_000;
const SCRUB_PERIOD_MS = 5_000;
/** Three periods: a leader that dies is followed in that time. */
const SCRUB_LEAD_MS = 3 * SCRUB_PERIOD_MS;
const STEP = 100;

/** The lock of the one process that scrubs a queue. */
export const scrubberLockName = (queue: string): string => `galley:scrubber:${queue}`;

/** One step of a script on each of these shards; true where one filled its step, so there is more. */
async function eachShard(shards: readonly ShardLayout[], step: (shard: ShardLayout) => Promise<number>): Promise<boolean> {
  const counts = await Promise.all(shards.map(step));
  return counts.some((count) => count >= STEP);
}

/**
 * Holds the reaper back after a gap of our own (DESIGN P5): when no pass ran for over two periods (Redis was away, or this
 * process was frozen), holders get one renewal interval first, and leases that ran out in the gap count no crash. Who has just
 * begun cannot know of a gap: its first pass may be Redis's first moment after an outage, so it holds back as well. What is
 * not renewed by then has lost its holder, and counts.
 */
export class ReapGate {
  private readonly startedAt: number;
  private lastPass: number | null = null;
  private holdUntil = 0;
  private forgiveUntil = 0;
  /** A hold has ended or will, and no pass has been let through since. */
  private owesPass = false;
  private readonly clock: Clock;
  private readonly periodMs: number;
  private readonly renewalMs: number;

  constructor(clock: Clock, periodMs: number, renewalMs: number) {
    this.clock = clock;
    this.periodMs = periodMs;
    this.renewalMs = renewalMs;
    this.startedAt = clock.monotonic();
  }

  /** What the pass that is due now may do. */
  open(): 'hold' | 'forgive' | 'count' {
    const now = this.clock.monotonic();
    const isFirst = this.lastPass === null;
    const gap = now - (this.lastPass ?? this.startedAt);
    this.lastPass = now;
    // Where every pass is late, on a busy machine, each would begin a new hold and nothing would ever be reaped: a hold is
    // begun anew only by a gap that is longer than itself.
    const goesOn = this.owesPass && gap <= this.renewalMs;
    if (gap > 2 * this.periodMs && !goesOn) {
      this.holdUntil = now + this.renewalMs;
      this.owesPass = true;
    } else if (isFirst) this.holdUntil = now + this.renewalMs;
    if (now < this.holdUntil) return 'hold';
    if (this.owesPass) {
      this.owesPass = false;
      this.forgiveUntil = now + this.periodMs;
    }
    return now < this.forgiveUntil ? 'forgive' : 'count';
  }
}

interface ReapPass {
  readonly countCrashes: boolean;
  /** Redis's time past which the call comes too late. */
  readonly notAfter: number;
  readonly onReaped: (row: ReapedRow) => void;
}

async function reap(queue: Queue, connection: Connection, pass: ReapPass): Promise<boolean> {
  const ripe = await ripeShards(connection, queue, ({ keys }) => [keys.processing]);
  return eachShard(ripe, async (shard) => {
    const rows = parseReap(
      await connection.run(reapScript, shard.keys, {
        sequence_at: shard.sequenceAt,
        limit: STEP,
        count_crashes: pass.countCrashes ? 1 : 0,
        not_after: pass.notAfter,
        timeline_ms: timelineMs(queue.settings),
      }),
    );
    rows.forEach(pass.onReaped);
    return rows.length;
  });
}

async function promote(queue: Queue, connection: Connection): Promise<boolean> {
  const ripe = await ripeShards(connection, queue, ({ keys }) => [keys.due, throttledKey(keys.base)]);
  return eachShard(ripe, async (shard) => {
    const values = { sequence_at: shard.sequenceAt, limit: STEP, timeline_ms: timelineMs(queue.settings) };
    return parsePromote(await connection.run(promoteScript, shard.keys, values)).promoted;
  });
}

async function trim(queue: Queue, connection: Connection): Promise<boolean> {
  return eachShard(queue.layout.shardList, async (shard) =>
    parseTrim(
      await connection.run(trimScript, shard.keys, {
        sequence_at: shard.sequenceAt,
        limit: STEP,
        finished_before: queue.settings.retentionMs,
        dead_before: queue.settings.deadRetentionMs,
        finished_most: Math.ceil(queue.settings.retentionCount / queue.layout.shards),
        timeline_ms: timelineMs(queue.settings),
      }),
    ),
  );
}

async function anyQueue(queues: readonly Queue[], pass: (queue: Queue) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(queues.map(pass))).some(Boolean);
}

/** Reaper, promoter, janitor, scrubber and history, as every server and worker runs them from its first second. */
export function createChores(options: ChoresOptions): Lifecycle {
  const { connection, queues } = options;
  const logger = options.logger ?? silentLogger;
  const clock = options.clock ?? systemClock;
  const periodMs = options.periodMs ?? CHORE_PERIOD_MS;
  const renewalMs = Math.max(0, ...queues.map((queue) => queue.settings.leaseMs)) / 3;
  const gate = new ReapGate(clock, periodMs, renewalMs);
  // To look at all records once more in every process would only cost; whatever else runs here is quick where another was first.
  const locks = new Locks({ store: new RedisLockStore(connection), clock });
  const scrubbers = queues.map((queue) => ({
    scrubber: new Scrubber(connection, queue),
    lead: new Leadership(locks, scrubberLockName(queue.name), SCRUB_LEAD_MS),
  }));
  const onReaped = (row: ReapedRow): void =>
    logger.warn(
      { event: 'lease expired', task: row.id, worker: row.worker, fence: row.fence, state: row.state },
      'a lease ran out and its task was put back',
    );

  const table: readonly { name: string; periodMs: number; pass: () => Promise<boolean> }[] = [
    {
      name: 'reaper',
      periodMs,
      pass: async () => {
        // Asked before the gate is, so that a Redis that was frozen until now shows as a gap.
        const now = await redisNow(connection);
        const verdict = gate.open();
        const step = { countCrashes: verdict === 'count', notAfter: now + 2 * periodMs, onReaped };
        return verdict !== 'hold' && (await anyQueue(queues, (queue) => reap(queue, connection, step)));
      },
    },
    { name: 'promoter', periodMs, pass: () => anyQueue(queues, (queue) => promote(queue, connection)) },
    { name: 'janitor', periodMs: JANITOR_PERIOD_MS, pass: () => anyQueue(queues, (queue) => trim(queue, connection)) },
    {
      name: 'scrubber',
      periodMs: SCRUB_PERIOD_MS,
      pass: async () => {
        const mended = await Promise.all(scrubbers.map(async ({ scrubber, lead }) => ((await lead.isMine()) ? scrubber.step() : 0)));
        const total = mended.reduce((sum, count) => sum + count, 0);
        if (total > 0) logger.warn({ event: 'records mended', count: total }, 'records contradicted their places and were mended');
        return false;
      },
    },
    {
      name: 'history',
      periodMs: HISTORY_PERIOD_MS,
      pass: async () => {
        await Promise.all(queues.map((queue) => recordHistory(connection, queue.layout)));
        return false;
      },
    },
  ];
  const chores = table.map((row) => new Chore({ ...row, connection, logger }));
  const stop = async (): Promise<void> => {
    await Promise.all(chores.map((chore) => chore.stop()));
    // With Redis away the lead ends by its TTL.
    if (connection.isUp()) await Promise.all(scrubbers.map(({ lead }) => lead.resign()));
  };
  let stopped: Promise<void> | null = null;
  return {
    start: () => {
      stopped = null;
      for (const chore of chores) chore.start();
    },
    // Whoever stops twice waits twice for the one end, and closes the connection after it.
    stop: () => (stopped ??= stop()),
  };
}
