import { describe, expect, it } from 'vitest';
import { backoffMs, DEFAULT_BACKOFF } from './backoff.ts';
import type { Failure } from './failure.ts';

const transient: Failure = { class: 'transient', code: 'engine_failed', message: 'm' };
const deferred: Failure = { class: 'deferred', code: 'upstream_rate_limited', message: 'm' };
const HOUR = 3_600_000;

describe('the wait before a retry', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [11, 2_048_000],
    [12, HOUR],
    [40, HOUR],
    [65_535, HOUR],
  ])('after %i spent attempts lies between 0 and %i ms', (attempts, ceiling) => {
    expect(backoffMs(transient, attempts, () => 0)).toBe(0);
    expect(backoffMs(transient, attempts, () => 0.5)).toBe(Math.round(ceiling / 2));
    expect(backoffMs(transient, attempts, () => 1 - Number.EPSILON)).toBe(ceiling);
  });

  it('is full jitter: every part of the span is drawn', () => {
    const draws = Array.from({ length: 2_000 }, () => backoffMs(transient, 3, Math.random));
    for (const from of [0, 2_000, 4_000, 6_000]) {
      const share = draws.filter((wait) => wait >= from && wait < from + 2_000).length / draws.length;
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.3);
    }
  });

  it('is at least what the other side asked for', () => {
    expect(backoffMs({ ...deferred, retryAfterMs: 30_000 }, 0, () => 0)).toBe(30_000);
    expect(backoffMs({ ...transient, retryAfterMs: 500 }, 3, () => 1 - Number.EPSILON)).toBe(8_000);
  });

  it('obeys a Retry-After past the hour where nothing is spent by waiting, and bounds it where a retry is', () => {
    expect(backoffMs({ ...deferred, retryAfterMs: 2 * HOUR }, 0, () => 0.5)).toBe(2 * HOUR);
    expect(backoffMs({ ...transient, retryAfterMs: 2 * HOUR }, 0, () => 0.5)).toBe(HOUR);
  });

  it('is a whole number of milliseconds that a script can store, whatever was asked for', () => {
    for (const retryAfterMs of [0.4, 1_500.5, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
      for (const failure of [transient, deferred]) {
        const wait = backoffMs({ ...failure, retryAfterMs }, 1, () => 0.123);
        expect(Number.isSafeInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('takes other settings', () => {
    expect(backoffMs(transient, 5, () => 1 - Number.EPSILON, { baseMs: 10, capMs: 100 })).toBe(100);
    expect(DEFAULT_BACKOFF).toEqual({ baseMs: 1_000, capMs: HOUR });
  });
});
