import { describe, expect, it } from 'vitest';
import { freshnessOf, nextClockOffset } from './freshness.ts';

describe('freshnessOf', () => {
  it('turns late after 3 s and lost after 8 s of silence', () => {
    expect([0, 2_999, 3_000, 7_999, 8_000].map((silent) => freshnessOf(1_000, 0, 1_000 + silent))).toEqual([
      'live',
      'live',
      'late',
      'late',
      'lost',
    ]);
  });
  it('connects for 8 s at most', () => {
    expect([0, 7_999, 8_000].map((silent) => freshnessOf(null, 1_000, 1_000 + silent))).toEqual(['connecting', 'connecting', 'lost']);
  });
});

describe('nextClockOffset', () => {
  const at = '2026-11-30T14:00:00.000Z';
  it('measures the first snapshot and then ignores noise', () => {
    expect(nextClockOffset(null, at, Date.parse(at) - 5_000)).toBe(5_000);
    expect(nextClockOffset(5_000, at, Date.parse(at) - 4_800)).toBe(5_000);
    expect(nextClockOffset(5_000, at, Date.parse(at) - 4_000)).toBe(4_000);
  });
});
