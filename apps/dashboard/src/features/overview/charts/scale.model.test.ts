import { describe, expect, it } from 'vitest';
import { countScale, heldScale, timeScale } from './scale.model.ts';

describe('scales', () => {
  it('puts five round numbers on an axis of counts', () => {
    expect(countScale(18_462).ticks).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
    expect(countScale(430).ticks).toEqual([0, 125, 250, 375, 500]);
    expect(countScale(0).ticks).toEqual([0, 1, 2, 3, 4]);
    expect(countScale(37).ticks).toEqual([0, 10, 20, 30, 40]);
  });
  it('holds what it is made for, at any size', () => {
    for (let most = 1; most < 2_000_000; most = Math.ceil(most * 1.37)) {
      const { top, ticks } = countScale(most);
      expect(top).toBeGreaterThanOrEqual(most);
      expect(ticks.every(Number.isInteger)).toBe(true);
      expect(timeScale(most * 10).top).toBeGreaterThanOrEqual(most * 10);
    }
  });
  it('puts three round times on an axis of durations', () => {
    expect(timeScale(400_000).ticks).toEqual([0, 300_000, 600_000]);
    expect(timeScale(13_500).ticks).toEqual([0, 10_000, 20_000]);
  });
});

describe('heldScale', () => {
  it('grows at once, and shrinks after a minute under half', () => {
    const first = heldScale(null, 90, 0, countScale);
    expect(first.scale.top).toBe(100);
    expect(heldScale(first, 120, 1, countScale).scale.top).toBe(200);
    const low = heldScale(first, 40, 1_000, countScale);
    expect(low).toMatchObject({ lowSince: 1_000, scale: { top: 100 } });
    expect(heldScale(low, 40, 60_999, countScale).scale.top).toBe(100);
    expect(heldScale(low, 40, 61_000, countScale).scale.top).toBe(40);
    expect(heldScale(low, 60, 30_000, countScale).lowSince).toBeNull();
  });
});
