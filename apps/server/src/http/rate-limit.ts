import { GalleyError } from '@galley/contract';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';

const WINDOW_MS = 60_000;

/** At most `limit` requests a minute from one address. */
export function rateLimiter(limit: number): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (request) => request.path === '/healthz' || request.path === '/readyz',
    handler: (_request, _response, next) => {
      next(
        new GalleyError('rate_limited', `more than ${limit} requests came from this address within a minute`, { retryAfterMs: WINDOW_MS }),
      );
    },
  });
}
