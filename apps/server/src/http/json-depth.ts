import { GalleyError } from '@galley/contract';

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

/** @throws GalleyError `invalid_request` */
export function requireShallow(body: unknown): void {
  if (isDeeperThan(body, JSON_DEPTH_LIMIT))
    throw new GalleyError('invalid_request', `the body is nested deeper than ${JSON_DEPTH_LIMIT} levels`);
}
