import type { Readiness } from '@galley/contract';
import { AVAILABLE_ENGINES } from '../documents/engines.ts';
import { type Handler, sendJson } from '../http/exchange.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics/metrics.ts';
import type { Services } from '../services.ts';
import { AVAILABLE_FORMATS } from '../tasks/result-formats.ts';
import { openApiDocument } from './openapi.ts';
import { VERSION } from './version.ts';

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
        engines: [...AVAILABLE_ENGINES],
        formats: [...AVAILABLE_FORMATS],
        version: VERSION,
      };
      sendJson(exchange, answer, reason === null ? 200 : 503);
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
