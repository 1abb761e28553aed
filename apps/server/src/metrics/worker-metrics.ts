import type { RegisteredWorker } from '@galley/core';
import { exposeMetric } from './exposition.ts';

/**
 * What worker processes said of themselves with their last heartbeats: they listen on no port, so the server speaks for them. All
 * together, because a worker's id is no bounded label; `GET /api/v1/workers` tells them apart.
 */
export function workerMetrics(workers: readonly RegisteredWorker[]): string {
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const busy = workers.reduce((sum, worker) => sum + worker.busy, 0);
  // Several workers may share one process, each of which tells of all of it.
  const processes = new Map(workers.map((worker) => [`${worker.host} ${worker.pid}`, worker.rssBytes]));
  const memory = [...processes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const standstillMs = Math.max(0, ...workers.map((worker) => worker.standstillMs));
  return [
    exposeMetric('galley_workers', 'gauge', 'Workers heard of lately.', [{ labels: {}, value: workers.length }]),
    exposeMetric('galley_slots', 'gauge', 'Slots of all workers.', [
      { labels: { state: 'busy' }, value: busy },
      { labels: { state: 'free' }, value: Math.max(0, slots - busy) },
    ]),
    exposeMetric('galley_workers_resident_memory_bytes', 'gauge', 'Memory of all worker processes.', [{ labels: {}, value: memory }]),
    exposeMetric(
      'galley_workers_standstill_seconds',
      'gauge',
      'The longest that the event loop of a worker stood still between its last two heartbeats.',
      [{ labels: {}, value: standstillMs / 1_000 }],
    ),
  ].join('');
}
