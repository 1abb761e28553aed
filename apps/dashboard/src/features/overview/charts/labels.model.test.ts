import { describe, expect, it } from 'vitest';
import { placedLabels } from './labels.model.ts';

const place = (...targets: number[]): number[] =>
  placedLabels(
    targets.map((target, index) => ({ id: String(index), target })),
    { gap: 19, top: 16, bottom: 210 },
  ).map((label) => label.y);

describe('placedLabels', () => {
  it('leaves labels at their series where there is room', () => {
    expect(place(50, 120)).toEqual([50, 120]);
  });
  it('pushes neighbours apart around their middle', () => {
    expect(place(100, 104)).toEqual([92.5, 111.5]);
    expect(place(100, 100, 100)).toEqual([81, 100, 119]);
  });
  it('keeps them inside, and in order', () => {
    expect(place(8, 9, 30, 140)).toEqual([16, 35, 54, 140]);
    expect(place(209, 210)).toEqual([191, 210]);
  });
});
