export interface SparklinePoint {
  readonly x: number;
  readonly y: number;
  /** The line is lifted before it. */
  readonly starts: boolean;
}

export const SPARKLINE_POINTS = 30;
const NOISE = 0.06;
const END = 2;

/** At most 30 values: each the mean of its share of the longer list; null where the whole share is. */
export function thinned(values: readonly (number | null)[], count = SPARKLINE_POINTS): readonly (number | null)[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((index + 1) * values.length) / count));
    // The last point is the number beside it, so it is never a mean.
    if (index === count - 1) return values.at(-1) ?? null;
    const known = values.slice(from, to).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

/**
 * Where the points of a sparkline lie. Scaled to its own least and most, but to no less than 6% either side of the middle,
 * so that noise does not look like news.
 */
export function sparklinePoints(values: readonly (number | null)[], width: number, height: number): SparklinePoint[] {
  const points = thinned(values);
  const known = points.filter((value) => value !== null);
  if (known.length < 2) return [];
  const least = Math.min(...known);
  const most = Math.max(...known);
  const middle = (least + most) / 2;
  const half = Math.max((most - least) / 2, Math.abs(middle) * NOISE, 1e-9);
  const step = (width - 2 * END) / (points.length - 1);
  return points.flatMap((value, index) => {
    if (value === null) return [];
    const y = height - END - ((value - (middle - half)) / (2 * half)) * (height - 2 * END);
    return [
      { x: Math.round((END + index * step) * 10) / 10, y: Math.round(y * 10) / 10, starts: index === 0 || points[index - 1] === null },
    ];
  });
}
