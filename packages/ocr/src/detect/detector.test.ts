import { expect, test } from 'vitest';
import type { Model } from '../models/session.ts';
import { detectLines, stripsOf } from './detector.ts';

test.each([
  [896, 1280],
  [1120, 1600],
  [1600, 1120],
  [640, 480],
  [32, 1600],
  [1600, 32],
])('the strips of a map of %i × %i cover each row once, see beyond their own part, and are whole strides', (width, height) => {
  const strips = stripsOf(width, height);
  expect(strips[0]).toMatchObject({ from: 0, seenFrom: 0 });
  expect(strips.at(-1)).toMatchObject({ to: height, seenTo: height });
  strips.forEach(({ from, to, seenFrom, seenTo }, index) => {
    expect(from).toBe(strips[index - 1]?.to ?? 0);
    expect((seenTo - seenFrom) % 32).toBe(0);
    expect((seenTo - seenFrom) * width).toBeLessThan(1_100_000);
    if (index > 0) expect(from - seenFrom).toBeGreaterThanOrEqual(64);
    if (index + 1 < strips.length) expect(seenTo - to).toBeGreaterThanOrEqual(64);
  });
});

test('a line across a seam is one line, wherever the seam is', async () => {
  // Stands for the network: text is wherever the picture is dark. The picture's own size is within the first look.
  const looks: number[] = [];
  const model: Model = {
    run: (data, [, , height, width]) => {
      looks.push(height);
      const plane = data.subarray(0, width * height);
      return Promise.resolve([{ name: 'map', data: plane.map((value) => (value < 0 ? 0.9 : 0)), shape: [1, 1, height, width] }]);
    },
    close: () => Promise.resolve(),
  };
  const [width, height] = [960, 1280];
  for (const top of [200, 610, 630, 640, 700]) {
    const pixels = new Uint8Array(width * height * 3).fill(255);
    for (let row = top; row < top + 24; row++) pixels.fill(0, (row * width + 100) * 3, (row * width + 700) * 3);
    const lines = await detectLines(model, { width, height, pixels });
    expect(lines).toHaveLength(1);
    const [[left, upper], , [right, lower]] = lines[0]?.quad ?? [[], [], []];
    expect(Math.abs((left ?? 0) - 100)).toBeLessThan(40);
    expect(Math.abs((right ?? 0) - 700)).toBeLessThan(40);
    expect(Math.abs(((upper ?? 0) + (lower ?? 0)) / 2 - (top + 12))).toBeLessThan(2);
  }
  expect(new Set(looks).size).toBe(1);
  expect(looks[0]).toBeLessThan(height);
});

/** Stands for a network that finds nothing; answers the sizes at which it looked. */
async function looksAt(width: number, height: number): Promise<number[]> {
  const widths = new Set<number>();
  const model: Model = {
    run: (_, [, , rows, columns]) => {
      widths.add(columns);
      return Promise.resolve([{ name: 'map', data: new Float32Array(rows * columns), shape: [1, 1, rows, columns] }]);
    },
    close: () => Promise.resolve(),
  };
  await detectLines(model, { width, height, pixels: new Uint8Array(width * height * 3) });
  return [...widths];
}

test('where nothing is found the page is looked at closer, a small one is not', async () => {
  expect(await looksAt(1600, 2000)).toEqual([1024, 1600]);
  expect(await looksAt(800, 1000)).toEqual([800]);
});

test('a strip is looked at as closely as a page of its area', async () => {
  const [first = 0] = await looksAt(5600, 560);
  expect(first).toBeGreaterThan(2000);
});
