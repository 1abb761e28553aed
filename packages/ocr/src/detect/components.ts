import type { Point } from '../geometry.ts';

/** A connected region of text probability. */
export interface Region {
  /** Points whose convex hull is the region's: both ends of each of its rows. */
  readonly outline: readonly Point[];
  readonly pixels: number;
  /** Mean probability over its pixels, 0-1. */
  readonly score: number;
}

interface Run {
  row: number;
  start: number;
  end: number;
  label: number;
  sum: number;
}

function findRoot(parents: number[], label: number): number {
  let root = label;
  while (parents[root] !== root) root = parents[root] ?? root;
  parents[label] = root;
  return root;
}

function collectRuns(map: Float32Array, width: number, height: number, threshold: number): { runs: Run[]; parents: number[] } {
  const runs: Run[] = [];
  const parents: number[] = [];
  let [previousFrom, previousTo] = [0, 0];
  for (let row = 0; row < height; row++) {
    const rowFrom = runs.length;
    let above = previousFrom;
    for (let x = 0; x < width; x++) {
      if ((map[row * width + x] ?? 0) <= threshold) continue;
      const start = x;
      let sum = 0;
      for (; x < width && (map[row * width + x] ?? 0) > threshold; x++) sum += map[row * width + x] ?? 0;
      const run: Run = { row, start, end: x - 1, label: parents.length, sum };
      parents.push(run.label);
      while (above < previousTo && (runs[above]?.end ?? 0) < start - 1) above++;
      for (let at = above; at < previousTo && (runs[at]?.start ?? Infinity) <= x; at++) {
        const [a, b] = [findRoot(parents, runs[at]?.label ?? 0), findRoot(parents, run.label)];
        parents[Math.max(a, b)] = Math.min(a, b);
      }
      runs.push(run);
    }
    [previousFrom, previousTo] = [rowFrom, runs.length];
  }
  return { runs, parents };
}

/** The 8-connected regions of a row-major map where it exceeds the threshold. */
export function findRegions(map: Float32Array, width: number, height: number, threshold: number): Region[] {
  const { runs, parents } = collectRuns(map, width, height, threshold);
  const regions = new Map<number, { outline: Point[]; pixels: number; sum: number }>();
  for (const run of runs) {
    const root = findRoot(parents, run.label);
    let region = regions.get(root);
    if (region === undefined) {
      region = { outline: [], pixels: 0, sum: 0 };
      regions.set(root, region);
    }
    // Corners of the pixels, so that a region's hull covers the pixels themselves.
    region.outline.push([run.start, run.row], [run.end + 1, run.row], [run.start, run.row + 1], [run.end + 1, run.row + 1]);
    region.pixels += run.end - run.start + 1;
    region.sum += run.sum;
  }
  return [...regions.values()].map(({ outline, pixels, sum }) => ({ outline, pixels, score: sum / pixels }));
}
