import type { HistoryPoint } from '@galley/contract';
import { type Fields, ratesOf } from '@galley/core';

export interface Rates {
  readonly completed_per_minute: number;
  readonly failed_per_minute: number;
  readonly submitted_per_minute: number;
  readonly pages_per_minute: number;
}

const MINUTE_MS = 60_000;

/**
 * What happened in the last sixty seconds, from two minutes' counts: all of the present one and the part of the one before that
 * still lies within, as if that minute's events were spread evenly.
 */
export function slidingRates(previous: Fields, present: Fields, now: number): Rates {
  const share = 1 - (now % MINUTE_MS) / MINUTE_MS;
  const before = ratesOf(previous);
  const during = ratesOf(present);
  const rate = (field: 'completed' | 'failed' | 'submitted' | 'pages'): number =>
    Math.round((during[field] + before[field] * share) * 10) / 10;
  return {
    completed_per_minute: rate('completed'),
    failed_per_minute: rate('failed'),
    submitted_per_minute: rate('submitted'),
    pages_per_minute: rate('pages'),
  };
}

export type Quantiles = HistoryPoint['run_ms'];
