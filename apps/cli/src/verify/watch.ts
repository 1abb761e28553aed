import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, listWorkers } from '@galley/core';
import type { Findings } from './judge.ts';
import { LockWatch, type WatchedQueue } from './lock-watch.ts';
import { MonitorWatch } from './monitor-watch.ts';
import { concurrencyOf, overlapsOf, runsDuring, type Span } from './overlaps.ts';
import { type LoggedRun, readRunLogs } from './run-log.ts';

const LOOK_EVERY_MS = 200;
/** Finding every lock key walks the whole keyspace, so it is done seldom. */
const SCAN_EVERY_MS = 2_000;
/** What workers wrote last reaches their log files a little later. */
const LOG_DELAY_MS = 500;

export interface WatchOptions {
  readonly connection: Connection;
  readonly queues: readonly WatchedQueue[];
  readonly seconds: number;
  readonly logDirectory: string;
  readonly signal: AbortSignal;
}

export type Seen = Pick<Findings, 'sight' | 'interleaving' | 'log'>;

/** Watches for the given time; writes nothing anywhere. */
export async function watch(options: WatchOptions): Promise<{ of(queue: string): Seen }> {
  const { connection, queues, seconds, logDirectory, signal } = options;
  const locks = new LockWatch(connection, queues);
  const monitor = new MonitorWatch();
  const from = Date.now();
  let refusal: string | null = null;
  await monitor.start(connection, seconds * 1_000).catch((error: unknown) => {
    refusal = `MONITOR was refused: ${error instanceof Error ? error.message : String(error)}`;
  });
  try {
    await lookUntil(locks, performance.now() + seconds * 1_000, signal);
  } finally {
    monitor.stop();
  }
  const span = { from, to: Date.now() };
  await delay(LOG_DELAY_MS, undefined, { signal });
  const [runs, workers] = await Promise.all([readRunLogs(logDirectory), listWorkers(connection)]);
  const alive = new Set(workers.map((worker) => worker.workerId));
  return {
    of: (queue) => {
      const sight = locks.sights.get(queue);
      if (sight === undefined) throw new Error(`queue ${queue} was not watched`);
      return {
        sight,
        interleaving: refusal === null ? monitor.of(queue) : { unseen: refusal },
        log: runs === null ? null : logOf(runs, queue, alive, span),
      };
    },
  };
}

async function lookUntil(locks: LockWatch, deadline: number, signal: AbortSignal): Promise<void> {
  let nextScan = performance.now();
  while (performance.now() < deadline) {
    const began = performance.now();
    await locks.look();
    if (began >= nextScan) {
      await locks.scan();
      nextScan = performance.now() + SCAN_EVERY_MS;
    }
    await delay(Math.max(1, Math.min(LOOK_EVERY_MS - (performance.now() - began), deadline - performance.now())), undefined, { signal });
  }
}

function logOf(runs: readonly LoggedRun[], queue: string, alive: ReadonlySet<string>, span: Span): NonNullable<Findings['log']> {
  // An id names its queue; a run of this span may overlap one that began before it.
  const own = runsDuring(
    runs.filter((run) => run.task.startsWith(`${queue}-${run.shard}-`)),
    alive,
    span,
  );
  return {
    runs: own.length,
    tasks: new Set(own.map((run) => run.task)).size,
    overlaps: overlapsOf(own, alive),
    concurrency: concurrencyOf(own, alive, span),
  };
}
