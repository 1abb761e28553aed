import type { RegisteredWorker } from '@galley/core';
import { exposeMetric, type Sample } from './exposition.ts';

/** What each worker process said of itself with its last heartbeat: workers listen on no port, so the server speaks for them. */
export function workerMetrics(workers: readonly RegisteredWorker[]): string {
  const each = (value: (worker: RegisteredWorker) => number): Sample[] =>
    workers.map((worker) => ({ labels: { worker: worker.workerId, host: worker.host, pid: String(worker.pid) }, value: value(worker) }));
  return [
    exposeMetric(
      'galley_worker_resident_memory_bytes',
      'gauge',
      'Memory of a worker process.',
      each(({ rssBytes }) => rssBytes),
    ),
    exposeMetric(
      'galley_worker_cpu_seconds_total',
      'counter',
      'CPU time of a worker process, its threads included.',
      each(({ cpuSeconds }) => cpuSeconds),
    ),
    exposeMetric(
      'galley_worker_standstill_seconds',
      'gauge',
      'The longest that a worker’s event loop stood still since its last heartbeat.',
      each(({ standstillMs }) => standstillMs / 1_000),
    ),
    exposeMetric(
      'galley_worker_busy_slots',
      'gauge',
      'Slots of a worker that run something.',
      each(({ busy }) => busy),
    ),
  ].join('');
}
