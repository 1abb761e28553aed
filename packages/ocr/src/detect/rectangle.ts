import { distance, type Point, type Quad } from '../geometry.ts';

function cross(origin: Point, a: Point, b: Point): number {
  return (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
}

function halfHull(points: readonly Point[]): Point[] {
  const hull: Point[] = [];
  for (const point of points) {
    for (;;) {
      const [before, last] = [hull.at(-2), hull.at(-1)];
      if (before === undefined || last === undefined || cross(before, last, point) > 0) break;
      hull.pop();
    }
    hull.push(point);
  }
  hull.pop();
  return hull;
}

/** The convex hull (Andrew's monotone chain). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  return [...halfHull(sorted), ...halfHull(sorted.reverse())];
}

/**
 * The rectangle of least area around a convex hull, one side on an edge of the hull.
 * Corners clockwise on the screen; the first is the one from which the longer side runs to the right or, on a steep
 * rectangle, down.
 */
export function smallestRectangle(hull: readonly Point[]): Quad | null {
  if (hull.length < 3) return null;
  let [best, bestArea]: [Quad | null, number] = [null, Infinity];
  for (let index = 0; index < hull.length; index++) {
    const [from, to] = [hull[index], hull[(index + 1) % hull.length]];
    if (from === undefined || to === undefined) continue;
    const length = distance(from, to);
    if (length === 0) continue;
    const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    let [a0, a1, c0, c1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const [x, y] of hull) {
      const [along, across] = [x * ux + y * uy, -x * uy + y * ux];
      [a0, a1, c0, c1] = [Math.min(a0, along), Math.max(a1, along), Math.min(c0, across), Math.max(c1, across)];
    }
    const area = (a1 - a0) * (c1 - c0);
    if (area >= bestArea) continue;
    bestArea = area;
    const corner = (along: number, across: number): Point => [along * ux - across * uy, along * uy + across * ux];
    best = [corner(a0, c0), corner(a1, c0), corner(a1, c1), corner(a0, c1)];
  }
  return best === null ? null : readingOrder(best);
}

/** Names the corners so that the longer side is the reading direction, towards the right or, where steep, downwards. */
export function readingOrder(quad: Quad): Quad {
  let [a, b, c, d] = quad;
  if (distance(a, b) < distance(b, c)) [a, b, c, d] = [b, c, d, a];
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const forward = Math.abs(dx) >= Math.abs(dy) ? dx >= 0 : dy >= 0;
  return forward ? [a, b, c, d] : [c, d, a, b];
}

/** Moves the sides of a rectangle outwards by so many pixels: its start and end (along the reading direction), top and bottom. */
export function growRectangle([a, b, c, d]: Quad, start: number, end: number, across: number): Quad {
  const [width, height] = [Math.max(distance(a, b), 1e-6), Math.max(distance(a, d), 1e-6)];
  const [ux, uy] = [(b[0] - a[0]) / width, (b[1] - a[1]) / width];
  const [vx, vy] = [((d[0] - a[0]) / height) * across, ((d[1] - a[1]) / height) * across];
  return [
    [a[0] - ux * start - vx, a[1] - uy * start - vy],
    [b[0] + ux * end - vx, b[1] + uy * end - vy],
    [c[0] + ux * end + vx, c[1] + uy * end + vy],
    [d[0] - ux * start + vx, d[1] - uy * start + vy],
  ];
}
