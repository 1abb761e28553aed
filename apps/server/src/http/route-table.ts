import { GalleyError, ROUTES, type Route, type RouteName } from '@galley/contract';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Services } from '../services.ts';
import { NOBODY, type Principal, requireRole } from '../session/principal.ts';
import type { Exchange, Handler } from './exchange.ts';
import { requireShallow } from './json-depth.ts';
import { requestIdOf } from './request-id.ts';

/** A handler for every route of the contract: one that is missing does not compile. */
export type Handlers = Readonly<Record<RouteName, Handler>>;

const BODY_LIMIT = '1mb';
const BATCH_BODY_LIMIT = '16mb';

/** Routes that answer also while Redis is away. */
export const WITHOUT_REDIS: ReadonlySet<RouteName> = new Set(['getHealth', 'getReadiness', 'getMetrics', 'getOpenApi']);
/** Open to all, but about the caller. */
const IDENTIFIES: ReadonlySet<RouteName> = new Set(['getSession']);
/** Takes its body as a stream and waits for Redis itself. */
const STREAMS: ReadonlySet<RouteName> = new Set(['submitDocuments']);

export function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name);
}

async function principalOf(services: Services, name: RouteName, route: Route, request: Request): Promise<Principal> {
  if (route.role === 'none' && !IDENTIFIES.has(name)) return NOBODY;
  const { authorization, cookie } = request.headers;
  return requireRole(await services.authenticator.identify({ authorization, cookie }), route.role === 'none' ? 'viewer' : route.role);
}

function serve(services: Services, name: RouteName, handler: Handler): RequestHandler {
  const route = ROUTES[name];
  return async (request: Request, response: Response): Promise<void> => {
    const answer = async (): Promise<void> => {
      const principal = await principalOf(services, name, route, request);
      const requestId = requestIdOf(response);
      const exchange: Exchange = { request, response, requestId, principal, logger: services.logger };
      await handler(exchange);
    };
    if (WITHOUT_REDIS.has(name)) return answer();
    const reason = services.notReady();
    if (reason !== null) throw reason;
    if (STREAMS.has(name)) {
      await services.redis.during(() => principalOf(services, name, route, request));
      return answer();
    }
    return services.redis.during(answer);
  };
}

function methodNotAllowed(methods: readonly string[]): RequestHandler {
  return (request, response) => {
    response.set('allow', methods.join(', '));
    throw new GalleyError(
      'method_not_allowed',
      `${request.method} is not taken here; ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'}`,
    );
  };
}

/** Puts every route of the contract into a router, with its role, its body's form and its place behind Redis. */
export function routerOf(services: Services, handlers: Handlers): Router {
  const router = Router({ caseSensitive: true });
  const json = express.json({ limit: BODY_LIMIT, type: 'application/json' });
  const batch = express.json({ limit: BATCH_BODY_LIMIT, type: 'application/json' });
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(ROUTES).filter(isRouteName)) {
    const route = ROUTES[name];
    methods.set(route.path, [...(methods.get(route.path) ?? []), route.method]);
    const handler = serve(services, name, handlers[name]);
    switch (route.method) {
      case 'GET':
        router.get(route.path, handler);
        break;
      case 'DELETE':
        router.delete(route.path, handler);
        break;
      case 'POST':
        if (STREAMS.has(name)) router.post(route.path, handler);
        else router.post(route.path, name === 'submitTasks' ? batch : json, requireShallow, handler);
        break;
    }
  }
  for (const [path, allowed] of methods) router.all(path, methodNotAllowed(allowed));
  return router;
}
