import { GalleyError } from '@galley/contract';
import type { RequestHandler } from 'express';

/** Deeper bodies than any request of ours are refused before anything walks them by recursion. */
export const JSON_DEPTH_LIMIT = 16;

export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((entry): unknown[] => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
  }
  return false;
}

export const requireShallow: RequestHandler = (request, _response, next) => {
  if (isDeeperThan(request.body, JSON_DEPTH_LIMIT))
    throw new GalleyError('invalid_request', `the body is nested deeper than ${JSON_DEPTH_LIMIT} levels`);
  next();
};
