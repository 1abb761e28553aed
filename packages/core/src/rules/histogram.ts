/** Duration histograms whose bucket b ends at 2^(b/2) milliseconds; scripts/fragments/histogram.lua names the same buckets. */
export function bucketEnd(bucket: number): number {
  return 2 ** (bucket / 2);
}

/** The bucket of a duration in milliseconds. */
export function durationBucket(milliseconds: number): number {
  return milliseconds <= 1 ? 0 : Math.ceil(Math.log2(milliseconds) * 2 - 1e-9);
}

/** Bucket → how many durations fell in it. */
export type DurationHistogram = ReadonlyMap<number, number>;

/** Reads `<prefix><bucket>` fields out of a totals or minute hash. */
export function readHistogram(fields: Readonly<Record<string, number>>, prefix: string): Map<number, number> {
  const histogram = new Map<number, number>();
  for (const [field, count] of Object.entries(fields)) {
    if (!field.startsWith(prefix)) continue;
    const bucket = Number(field.slice(prefix.length));
    if (Number.isInteger(bucket) && count > 0) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
  }
  return histogram;
}

export function mergeHistograms(histograms: Iterable<DurationHistogram>): Map<number, number> {
  const merged = new Map<number, number>();
  for (const histogram of histograms) for (const [bucket, count] of histogram) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
  return merged;
}

/** The q-quantile in milliseconds, interpolated within its bucket; null where nothing was counted. */
export function quantile(histogram: DurationHistogram, q: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let rank = q * total;
  for (const [bucket, count] of buckets) {
    if (rank <= count) {
      const start = bucket === 0 ? 0 : bucketEnd(bucket - 1);
      return Math.round(start + (bucketEnd(bucket) - start) * (rank / count));
    }
    rank -= count;
  }
  const last = buckets.at(-1);
  return last === undefined ? null : Math.round(bucketEnd(last[0]));
}
