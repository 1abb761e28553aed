import { GalleyError } from '@galley/contract';
import type { RequestHandler } from 'express';
import { rateLimit, type Store } from 'express-rate-limit';
import * as z from 'zod/mini';

export const RATE_WINDOW_MS = 60_000;

/** What the limiter leaves at a request. */
const countedRequest = z.object({ rateLimit: z.object({ resetTime: z.date() }) });

function untilReset(request: unknown): number {
  const counted = countedRequest.safeParse(request);
  return counted.success ? Math.max(1_000, counted.data.rateLimit.resetTime.getTime() - Date.now()) : RATE_WINDOW_MS;
}

/** At most `limit` requests a minute from one address, counted in `store`. */
export function rateLimiter(limit: number, store: Store): RequestHandler {
  return rateLimit({
    windowMs: RATE_WINDOW_MS,
    limit,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (request) => request.path === '/healthz' || request.path === '/readyz',
    handler: (request, _response, next) => {
      const retryAfterMs = untilReset(request);
      next(new GalleyError('rate_limited', `more than ${limit} requests came from this address within a minute`, { retryAfterMs }));
    },
  });
}
