import { alertThresholdsSchema, queueQuerySchema, type Readiness, type System } from '@galley/contract';
import { availableEngines } from '../documents/engines.ts';
import { type Handler, parseBody, parseQuery, sendJson } from '../http/exchange.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts';
import { readRedisFacts } from '../redis/redis-facts.ts';
import type { Services } from '../services.ts';
import { AVAILABLE_FORMATS } from '../tasks/result-formats.ts';
import { openApiDocument } from './openapi.ts';
import { VERSION } from './version.ts';

/** In the words of the audit: `stuck_least_ms 60000 → 5000`. */
function changes(before: object, after: object): string {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => old.get(name) !== value);
  return changed.map(([name, value]) => `${name} ${String(old.get(name))} → ${String(value)}`).join(', ') || 'nothing changed';
}

export function systemRoutes(services: Services, metrics: Metrics) {
  let openApi: object | null = null;
  return {
    getHealth: async (exchange) => sendJson(exchange, { status: 'ok' }),
    getReadiness: async (exchange) => {
      const reason = services.notReady();
      const answer: Readiness = {
        status: reason === null ? 'ready' : 'not_ready',
        ...(reason === null ? {} : { reason: reason.message }),
        redis: services.redis.isUp() ? 'up' : 'away',
        engines: [...availableEngines(services.config)],
        formats: [...AVAILABLE_FORMATS],
        version: VERSION,
      };
      sendJson(exchange, answer, reason === null ? 200 : 503);
    },
    getSystem: async (exchange) => {
      const { queue } = await services.queues.get(parseQuery(exchange, queueQuerySchema).queue);
      const { settings, layout } = queue;
      const [redis, alerts] = await Promise.all([readRedisFacts(services.connection, services.policy), services.thresholds.read()]);
      const answer: System = {
        version: VERSION,
        redis,
        queue: {
          queue: queue.name,
          shards: layout.shards,
          order: layout.order,
          lock_keys: layout.lockKeys,
          lease_ms: settings.leaseMs,
          max_retries: settings.maxRetries,
          crash_budget: settings.crashBudget,
          timeout_ms: settings.timeoutMs,
          result_ms: settings.resultMs,
          retention_ms: settings.retentionMs,
          dead_retention_ms: settings.deadRetentionMs,
          depth_limit: settings.depthLimit,
        },
        max_file_bytes: services.config.maxFileBytes,
        max_files: services.config.maxFiles,
        alerts,
      };
      sendJson(exchange, answer);
    },
    setAlertThresholds: async (exchange) => {
      const thresholds = parseBody(exchange, alertThresholdsSchema);
      const before = await services.thresholds.read();
      await services.thresholds.write(thresholds);
      await services.audit.note(exchange.principal, 'set_alerts', changes(before, thresholds));
      sendJson(exchange, thresholds);
    },
    getMetrics: async (exchange) => {
      exchange.response.set({ 'content-type': METRICS_CONTENT_TYPE, 'cache-control': 'no-store' }).send(await metrics.scrape());
    },
    getOpenApi: async (exchange) => {
      openApi ??= openApiDocument();
      sendJson(exchange, openApi);
    },
  } satisfies Record<string, Handler>;
}
