export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The value below which `share` (0 to 1) of the values lie, between neighbours in proportion. NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** How many times `own` goes into `other`, round by round: neighbours in time share the machine's mood. */
export function ratios(other: readonly number[], own: readonly number[]): Spread {
  return spread(own.map((value, round) => (other[round] ?? Number.NaN) / value));
}
