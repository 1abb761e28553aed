import { GalleyError } from '@galley/contract';
import type { Request, RequestHandler, Response } from 'express';
import type { Services } from '../services.ts';
import type { Counted, RateCounter } from './rate-counter.ts';

export const RATE_WINDOW_MS = 60_000;

/** Whoever watches over the process is never kept away. */
const UNLIMITED: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** A request that Express has not touched: its address is not parsed for it. */
function isUnlimited({ url }: Request): boolean {
  return url.length < 16 && UNLIMITED.has(url.split('?', 1)[0] ?? '');
}

/**
 * Lets at most `config.rateLimit` requests a minute through of one caller: of a user, whichever of their tokens and sessions they come
 * with and from wherever, and without one of an address. Answers carry the RateLimit fields of the IETF's draft.
 */
export function rateLimiter({ config, authenticator, callers }: Services, counter: RateCounter): RequestHandler {
  const limit = config.rateLimit;
  const policy = `"requests";q=${limit};w=${RATE_WINDOW_MS / 1_000}`;

  const judge = (response: Response, { count, resetInMs }: Counted, whose: string): void => {
    response.setHeader('ratelimit-policy', policy);
    response.setHeader('ratelimit', `"requests";r=${Math.max(0, limit - count)};t=${Math.ceil(resetInMs / 1_000)}`);
    if (count <= limit) return;
    throw new GalleyError('rate_limited', `more than ${limit} requests came from this ${whose} within a minute`, {
      retryAfterMs: Math.max(1_000, resetInMs),
    });
  };

  return (request, response, next) => {
    if (isUnlimited(request)) return next();
    const address = request.socket.remoteAddress ?? '';
    const { authorization, cookie } = request.headers;
    // Most requests, where there are no tokens: nothing to wait for, no promise to make.
    if (authenticator.isOpen || (authorization === undefined && cookie === undefined)) {
      const counted = counter.count(address);
      if (!(counted instanceof Promise)) {
        judge(response, counted, 'address');
        return next();
      }
      const judgeLater = async (): Promise<void> => {
        judge(response, await counted, 'address');
        next();
      };
      return judgeLater();
    }
    const limitCaller = async (): Promise<void> => {
      // What is nobody's token counts against its address, and so does everything while sessions cannot be looked up.
      const user = (await callers.of(request).catch(() => null))?.userId ?? null;
      const counted = await counter.count(user === null ? address : `user:${user}`);
      judge(response, counted, user === null ? 'address' : 'user');
      next();
    };
    return limitCaller();
  };
}
