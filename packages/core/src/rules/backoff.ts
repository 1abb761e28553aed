import type { Failure } from './failure.ts';

export interface BackoffSettings {
  /** Milliseconds before the first retry, before jitter. */
  readonly baseMs: number;
  /** The longest wait in milliseconds. */
  readonly capMs: number;
}

export const DEFAULT_BACKOFF: BackoffSettings = { baseMs: 1_000, capMs: 3_600_000 };

/**
 * Milliseconds until the next run: `base × 2^attempts` with full jitter, at most the cap (DESIGN P7).
 * A wait that the other side asked for is the least. `attempts`: attempts spent before this one.
 * Source of the rule: exponential backoff with full jitter spreads a crowd of retries best.
 */
export function backoffMs(failure: Failure, attempts: number, random: () => number, settings: BackoffSettings = DEFAULT_BACKOFF): number {
  const ceiling = Math.min(settings.capMs, settings.baseMs * 2 ** Math.min(attempts, 30));
  const jittered = Math.round(random() * ceiling);
  return Math.min(settings.capMs, Math.max(jittered, failure.retryAfterMs ?? 0));
}
