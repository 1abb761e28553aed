import { GalleyError, ROUTES, type Route, type RouteName } from '@galley/contract';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Services } from '../services.ts';
import { LOCAL_OWNER, NOBODY, type Principal, requireRole } from '../session/principal.ts';
import type { Handler } from './exchange.ts';
import { requireShallow } from './json-depth.ts';
import { toGalleyError } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import { RouteFinder } from './route-finder.ts';

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
  const { authenticator, callers } = services;
  const caller = authenticator.isOpen ? LOCAL_OWNER : await callers.of(request);
  return requireRole(caller, route.role === 'none' ? 'viewer' : route.role);
}

/** Answers a request to one route. */
type Serve = (request: Request, response: Response) => Promise<void>;

function serve(services: Services, name: RouteName, handler: Handler): Serve {
  const route = ROUTES[name];
  return (request, response) => {
    const answer = async (): Promise<void> => {
      const principal = await principalOf(services, name, route, request);
      return handler({ request, response, requestId: requestIdOf(response), principal, logger: services.logger });
    };
    if (WITHOUT_REDIS.has(name)) return answer();
    const reason = services.notReady();
    if (reason !== null) throw reason;
    if (STREAMS.has(name)) return services.redis.during(() => principalOf(services, name, route, request)).then(answer);
    return services.redis.during(answer);
  };
}

function methodNotAllowed(request: Request, response: Response, methods: readonly string[]): never {
  response.set('allow', methods.join(', '));
  throw new GalleyError(
    'method_not_allowed',
    `${request.method} is not taken here; ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'}`,
  );
}

/** Reads the body first. */
function afterBody(parse: RequestHandler, answer: Serve): Serve {
  return async (request, response) => {
    await new Promise<void>((resolve, reject) => {
      parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(toGalleyError(error))));
    });
    requireShallow(request.body);
    return answer(request, response);
  };
}

/** Every route of the contract, with its role, its body's form and its place behind Redis. */
export function apiRoutes(services: Services, handlers: Handlers): RequestHandler {
  const json = express.json({ limit: BODY_LIMIT, type: 'application/json' });
  const batch = express.json({ limit: BATCH_BODY_LIMIT, type: 'application/json' });
  const finder = new RouteFinder<Serve>();
  for (const name of Object.keys(ROUTES).filter(isRouteName)) {
    const { method, path } = ROUTES[name];
    const answer = serve(services, name, handlers[name]);
    const takesBody = method === 'POST' && !STREAMS.has(name);
    finder.add(method, path, takesBody ? afterBody(name === 'submitTasks' ? batch : json, answer) : answer);
  }
  return (request, response, next) => {
    const found = finder.find(request.url);
    if (found === null) return next();
    request.params = found.parameters;
    const handler = found.byMethod.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (handler === undefined) return methodNotAllowed(request, response, [...found.byMethod.keys()]);
    return handler(request, response);
  };
}
