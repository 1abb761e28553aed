import { expect, test } from 'vitest';
import { median, quantile, ratios, spread } from './statistics.ts';

test('a median lies between the two middle values', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
});

test('quantiles lie between neighbours in proportion', () => {
  expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
  expect(quantile([7], 0.99)).toBe(7);
  expect(quantile([], 0.5)).toBeNaN();
});

test('ratios are taken round by round, so that a slow round of both does not show', () => {
  expect(ratios([10, 100], [5, 50])).toEqual({ median: 2, low: 2, high: 2 });
});

test('a spread names the ends', () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
});
