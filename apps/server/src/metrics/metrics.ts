import { listWorkers, readLockTotals } from '@galley/core';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Services } from '../services.ts';
import { exposeMetric } from './exposition.ts';
import { lockMetrics } from './lock-metrics.ts';
import { queueMetrics } from './queue-metrics.ts';
import { workerMetrics } from './worker-metrics.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Gauges of prom-client that are called totals, which Prometheus's own linter refuses; the same without the suffix stay. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Answers a scrape. While Redis is away it says so and gives what the process itself knows. */
export class Metrics {
  private readonly services: Services;
  private readonly registry = new Registry();

  constructor(services: Services) {
    this.services = services;
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  async scrape(): Promise<string> {
    const { redis, logger } = this.services;
    const queues = redis.isUp()
      ? await redis
          .during(() => this.ofQueues())
          .catch((error: unknown) => {
            logger.warn({ err: error }, 'a scrape could not read the queues');
            return null;
          })
      : null;
    const up = exposeMetric('galley_redis_up', 'gauge', 'Whether Redis answers.', [{ labels: {}, value: queues === null ? 0 : 1 }]);
    return `${up}${queues ?? ''}${await this.registry.metrics()}`;
  }

  private async ofQueues(): Promise<string> {
    const { queues, snapshots, connection } = this.services;
    const [series, workers, locks] = await Promise.all([
      queueMetrics(queues.all(), snapshots),
      listWorkers(connection),
      readLockTotals(connection),
    ]);
    return series + workerMetrics(workers) + lockMetrics(locks);
  }
}
