import type { Failure } from './failure.ts';

export interface BackoffSettings {
  /** Milliseconds before the first retry, before jitter. */
  readonly baseMs: number;
  /** The longest wait in milliseconds. */
  readonly capMs: number;
}

/** A deferred run's wait is obeyed past the cap: its total bound (queue settings) is what ends it. */
const LONGEST_ASKED_MS = 365 * 86_400_000;

export const DEFAULT_BACKOFF: BackoffSettings = { baseMs: 1_000, capMs: 3_600_000 };

/**
 * Milliseconds until the next run: `base × 2^attempts` with full jitter, at most the cap (DESIGN P7).
 * A wait that the other side asked for is the least; a deferred failure obeys it past the cap too. `attempts`: attempts spent before this one.
 * Source of the rule: exponential backoff with full jitter spreads a crowd of retries best.
 */
export function backoffMs(failure: Failure, attempts: number, random: () => number, settings: BackoffSettings = DEFAULT_BACKOFF): number {
  const ceiling = Math.min(settings.capMs, settings.baseMs * 2 ** Math.min(attempts, 30));
  const jittered = Math.round(random() * ceiling);
  const asked = Math.ceil(failure.retryAfterMs ?? 0);
  const longest = failure.class === 'deferred' ? LONGEST_ASKED_MS : settings.capMs;
  return Math.max(jittered, Math.min(longest, asked > 0 ? asked : 0));
}
