import { describe, expect, it } from 'vitest';
import { sparklinePoints, thinned } from './sparkline.ts';

describe('sparkline', () => {
  it('thins to 30 and ends with the last value itself', () => {
    const points = thinned(Array.from({ length: 61 }, (_, index) => index));
    expect(points).toHaveLength(30);
    expect(points.at(-1)).toBe(60);
    expect(points[0]).toBe(0.5);
  });
  it('spans its own least and most', () => {
    expect(sparklinePoints([0, 100], 56, 28).map((point) => point.y)).toEqual([26, 2]);
  });
  it('does not let noise look like news', () => {
    const [first, last] = sparklinePoints([100, 101], 56, 28);
    expect((first?.y ?? 0) - (last?.y ?? 0)).toBeLessThan(3);
  });
  it('is flat for equal values and lifts the line over what is not known', () => {
    expect(sparklinePoints([0, 0], 56, 28).map((point) => point.y)).toEqual([14, 14]);
    expect(sparklinePoints([1, null, 2], 56, 28).map((point) => point.starts)).toEqual([true, true]);
    expect(sparklinePoints([1], 56, 28)).toEqual([]);
  });
});
