import { type Clock, type Random, systemClock } from '../clock.ts';
import { Leadership, LockMeter, Locks, RedisLockStore, SharedLockTotals } from '../locks/index.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import { unlessAway } from '../redis/unless-away.ts';
import type { ReapedRow } from '../scripts/reap.ts';
import { Chore, type ChoreOptions, type Lifecycle, type Logger, silentLogger } from './chore.ts';
import { recordHistory } from './history.ts';
import { janitor } from './janitor.ts';
import { returnTasks } from './return-tasks.ts';
import { Scrubber } from './scrubber.ts';

export interface ChoresOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Milliseconds between passes of the reaper, and at most between those of the promoter, which also comes when something is due. */
  readonly periodMs?: number;
}

/** DESIGN P5: the reaper's default period. */
export const CHORE_PERIOD_MS = 1_000;
const JANITOR_PERIOD_MS = 10_000;
const HISTORY_PERIOD_MS = 5_000;
const LOCK_TOTALS_PERIOD_MS = 5_000;
const MINUTE_MS = 60_000;
const SCRUB_PERIOD_MS = 5_000;
/** Three periods: a leader that dies is followed in that time. */
const SCRUB_LEAD_MS = 3 * SCRUB_PERIOD_MS;
/** A shard that has been walked through is left alone for this long, so that small queues are not walked all the time. */
const SCRUB_REST_MS = 60_000;

/** The lock of the one process that scrubs a queue. */
export const scrubberLockName = (queue: string): string => `galley:scrubber:${queue}`;

/** Reaper, promoter, janitor, scrubber and history, as every server and worker runs them from its first second. */
export function createChores(options: ChoresOptions): Lifecycle {
  const { connection, queues } = options;
  const logger = options.logger ?? silentLogger;
  const clock = options.clock ?? systemClock;
  const periodMs = options.periodMs ?? CHORE_PERIOD_MS;
  // To look at all records once more in every process would only cost; whatever else runs here is quick where another was first.
  const meter = new LockMeter();
  const lockTotals = new SharedLockTotals(connection, meter);
  const locks = new Locks({ store: new RedisLockStore(connection), clock, observer: meter });
  const scrubbers = queues.map((queue) => ({
    scrubber: new Scrubber(connection, queue, { clock, restMs: SCRUB_REST_MS }),
    lead: new Leadership(locks, scrubberLockName(queue.name), SCRUB_LEAD_MS),
  }));
  const onReaped = (row: ReapedRow): void =>
    logger.warn(
      { event: 'lease expired', task: row.id, worker: row.worker, fence: row.fence, state: row.state },
      'a lease ran out and its task was put back',
    );

  const table: readonly Pick<ChoreOptions, 'name' | 'periodMs' | 'pass'>[] = [
    {
      name: 'reaper and promoter',
      periodMs,
      pass: returnTasks({ connection, queues, clock, random: options.random ?? Math.random, periodMs, onReaped }),
    },
    { name: 'janitor', periodMs: JANITOR_PERIOD_MS, pass: janitor(connection, queues) },
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
    { name: 'lock totals', periodMs: LOCK_TOTALS_PERIOD_MS, pass: () => lockTotals.flush().then(() => false) },
    {
      name: 'history',
      periodMs: HISTORY_PERIOD_MS,
      pass: async () => {
        const nextInMs = Math.min(MINUTE_MS, ...(await Promise.all(queues.map((queue) => recordHistory(connection, queue.layout)))));
        // In whole periods, so that processes do not all come at the turn of the minute.
        return Math.ceil(nextInMs / HISTORY_PERIOD_MS) * HISTORY_PERIOD_MS;
      },
    },
  ];
  const chores = table.map((row) => new Chore({ ...row, connection, logger }));
  const stop = async (): Promise<void> => {
    await Promise.all(chores.map((chore) => chore.stop()));
    // With Redis away the lead ends by its TTL.
    if (!connection.isUp()) return;
    const lastWords = Promise.all(scrubbers.map(({ lead }) => lead.resign())).then(() => lockTotals.flush());
    await unlessAway(connection, lastWords);
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
