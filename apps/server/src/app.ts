import { GalleyError } from '@galley/contract';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { dashboardRouter } from './dashboard.ts';
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { type HostGuard } from './http/hosts.ts';
import { ClientGoneError, problemOf, sendProblem, toGalleyError } from './http/problem.ts';
import { RateCounter } from './http/rate-counter.ts';
import { RATE_WINDOW_MS, rateLimiter } from './http/rate-limit.ts';
import { assignRequestId, requestIdOf } from './http/request-id.ts';
import { apiRoutes } from './http/route-table.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { Metrics } from './metrics/metrics.ts';
import { queueRoutes } from './queue/queue-routes.ts';
import type { Services } from './services.ts';
import { sessionRoutes } from './session/session-routes.ts';
import { docsRouter } from './system/docs-router.ts';
import { systemRoutes } from './system/system-routes.ts';
import { actionRoutes } from './tasks/action-routes.ts';
import { resultRoutes } from './tasks/result-routes.ts';
import { submitRoutes } from './tasks/submit-routes.ts';
import { taskRoutes } from './tasks/task-routes.ts';
import { uploadRouter } from './uploads/upload-router.ts';
import { workerRoutes } from './workers/worker-routes.ts';

const notFound: RequestHandler = (request) => {
  throw new GalleyError('not_found', `there is nothing at ${request.method} ${request.originalUrl.split('?', 1)[0]?.slice(0, 200)}`);
};

function errorHandler({ logger }: Services): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    if (error instanceof ClientGoneError || (request.destroyed && !request.complete)) {
      response.destroy();
      return;
    }
    const known = toGalleyError(error);
    const requestId = requestIdOf(response);
    if (known.code === 'internal_error')
      logger.error({ err: error, request_id: requestId, method: request.method, path: request.path }, 'a request failed');
    sendProblem(response, problemOf(known, requestId));
  };
}

/** The HTTP side of the server: every route of the contract, then the dashboard. */
export function createApp(services: Services, guard: HostGuard): Express {
  const app = express();
  app.disable('x-powered-by');
  // Answers are never stored, so nobody asks whether they changed; files and pictures have tags of their own.
  app.set('etag', false);
  app.set('trust proxy', false);
  app.set('case sensitive routing', true);
  app.use((request, response, next) => {
    assignRequestId(request, response);
    setSecurityHeaders(response);
    guard.check(request);
    next();
  });
  const { connection, redis, config } = services;
  app.use(rateLimiter(services, new RateCounter({ connection, redis, limit: config.rateLimit, windowMs: RATE_WINDOW_MS })));
  app.use(
    apiRoutes(services, {
      ...documentRoutes(services),
      ...submitRoutes(services),
      ...taskRoutes(services),
      ...resultRoutes(services),
      ...actionRoutes(services),
      ...deadLetterRoutes(services),
      ...queueRoutes(services),
      ...workerRoutes(services),
      ...sessionRoutes(services),
      ...systemRoutes(services, new Metrics(services)),
    }),
  );
  app.use(uploadRouter(services, services.uploads));
  app.use(docsRouter());
  app.use('/api', notFound);
  app.use(dashboardRouter());
  app.use(notFound);
  app.use(errorHandler(services));
  return app;
}
