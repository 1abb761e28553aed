export type Point = [number, number];

/** Four corners, clockwise on the screen, from the text's own top left. */
export type Quad = [Point, Point, Point, Point];

/** `[x0, y0, x1, y1]` */
export type Bounds = [number, number, number, number];

export function distance(a: Point, b: Point): number {
  return Math.hypot(b[0] - a[0], b[1] - a[1]);
}

/** The angle of the quad's reading direction in degrees, clockwise on the screen, in (-180, 180]. */
export function quadAngle(quad: Quad): number {
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  const dx = topRight[0] - topLeft[0] + bottomRight[0] - bottomLeft[0];
  const dy = topRight[1] - topLeft[1] + bottomRight[1] - bottomLeft[1];
  return (Math.atan2(dy, dx) * 180) / Math.PI;
}

export function quadWidth(quad: Quad): number {
  return (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2;
}

export function quadHeight(quad: Quad): number {
  return (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
}

export function boundsOf(points: readonly Point[]): Bounds {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
  }
  return [x0, y0, x1, y1];
}

export function unionBounds(boxes: readonly Bounds[]): Bounds {
  return boundsOf(
    boxes.flatMap(([x0, y0, x1, y1]): Point[] => [
      [x0, y0],
      [x1, y1],
    ]),
  );
}

/** Turns a point about the origin; positive degrees are clockwise on the screen (y down). */
export function rotatePoint([x, y]: Point, degrees: number): Point {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [x * cos - y * sin, x * sin + y * cos];
}

/** The same corners, named from another one: `turns` = 1 makes the old second corner the first. */
export function shiftQuad(quad: Quad, turns: number): Quad {
  const at = (index: number): Point => quad[(((index + turns) % 4) + 4) % 4] ?? quad[0];
  return [at(0), at(1), at(2), at(3)];
}

export function clampQuad(quad: Quad, width: number, height: number): Quad {
  const clamp = ([x, y]: Point): Point => [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
  return [clamp(quad[0]), clamp(quad[1]), clamp(quad[2]), clamp(quad[3])];
}

export function roundQuad(quad: Quad): Quad {
  const round = ([x, y]: Point): Point => [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  return [round(quad[0]), round(quad[1]), round(quad[2]), round(quad[3])];
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `share` (0-1) of the values lie; 0 for none. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The value below which `share` (0-1, the middle by default) of the weight lies; 0 for none. */
export function weightedMedian(values: readonly (readonly [value: number, weight: number])[], share = 0.5): number {
  const sorted = [...values].sort((a, b) => a[0] - b[0]);
  const half = sorted.reduce((sum, [, weight]) => sum + weight, 0) * share;
  let seen = 0;
  for (const [value, weight] of sorted) {
    seen += weight;
    if (seen >= half) return value;
  }
  return 0;
}
