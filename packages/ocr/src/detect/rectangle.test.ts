import { expect, test } from 'vitest';
import { type Point, quadAngle, quadHeight, quadWidth, rotatePoint } from '../geometry.ts';
import { findRegions } from './components.ts';
import { growCores } from './grow.ts';
import { convexHull, smallestRectangle } from './rectangle.ts';

test('regions touch across corners; parts of one region are joined', () => {
  const rows = ['1.1..', '1.1.1', '.1...', '....1'];
  const map = Float32Array.from(rows.join(''), (cell) => (cell === '1' ? 0.9 : 0));
  const regions = findRegions(map, 5, 4, 0.3);
  expect(regions.map(({ pixels }) => pixels).sort((a, b) => a - b)).toEqual([1, 1, 5]);
  expect(regions[0]?.score).toBeCloseTo(0.9);
});

test.each([0, 7, 30, 85, -40])('the smallest rectangle finds a line turned by %i degrees', (degrees) => {
  const corners: Point[] = [
    [0, 0],
    [100, 0],
    [100, 20],
    [0, 20],
    [50, 10],
    [3, 7],
  ];
  const quad = smallestRectangle(convexHull(corners.map((point) => rotatePoint(point, degrees))));
  if (quad === null) throw new Error('no rectangle');
  expect(quadWidth(quad)).toBeCloseTo(100);
  expect(quadHeight(quad)).toBeCloseTo(20);
  expect(quadAngle(quad)).toBeCloseTo(degrees);
});

test('cores that stand in one row grow towards each other only halfway', () => {
  const [first, second] = growCores([
    [
      [0, 0],
      [100, 0],
      [100, 20],
      [0, 20],
    ],
    [
      [110, 0],
      [200, 0],
      [200, 20],
      [110, 20],
    ],
  ]);
  expect(first?.[1][0]).toBeCloseTo(105);
  expect(second?.[0][0]).toBeCloseTo(105);
  expect(first?.[0][0]).toBeLessThan(-10);
});

test('a full stop at the end of a line is taken into the line', () => {
  const [line, stop] = growCores([
    [
      [0, 0],
      [100, 0],
      [100, 20],
      [0, 20],
    ],
    [
      [110, 16],
      [116, 16],
      [116, 22],
      [110, 22],
    ],
  ]);
  expect(stop).toBeNull();
  expect(line?.[1][0]).toBeGreaterThan(116);
});
