import { bucketEnd, type DurationHistogram } from '@galley/core';

/** Prometheus' text format, for series whose values Redis keeps: prom-client's counters would count from this process's start. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Appended to the metric's name, as `_bucket`. */
  readonly suffix?: string;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function line(name: string, { labels, value, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${Number.isFinite(value) ? value : '+Inf'}`;
}

export function exposeMetric(name: string, type: 'gauge' | 'counter' | 'histogram', help: string, samples: readonly Sample[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => line(name, sample)), ''].join('\n');
}

/** Cumulative buckets, sum and count of a histogram whose bucket ends are seconds. `sum` is the middle of each bucket times its count. */
export function histogramSamples(labels: Labels, buckets: readonly { readonly end: number; readonly count: number }[]): Sample[] {
  let count = 0;
  let sum = 0;
  let start = 0;
  const samples = buckets.map((bucket): Sample => {
    count += bucket.count;
    sum += ((start + bucket.end) / 2) * bucket.count;
    start = bucket.end;
    return { suffix: '_bucket', labels: { ...labels, le: String(bucket.end) }, value: count };
  });
  return [
    ...samples,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: Math.round(sum * 1_000) / 1_000 },
    { suffix: '_count', labels, value: count },
  ];
}

/** A histogram of core's duration buckets, of which those that are given (rising) are exported; what lies past the last counts in +Inf. */
export function durationHistogramSamples(labels: Labels, histogram: DurationHistogram, exported: readonly number[]): Sample[] {
  let from = Number.NEGATIVE_INFINITY;
  const between = (low: number, high: number): number =>
    [...histogram].reduce((sum, [at, amount]) => (at > low && at <= high ? sum + amount : sum), 0);
  const buckets = exported.map((bucket) => {
    const count = between(from, bucket);
    from = bucket;
    return { end: bucketEnd(bucket) / 1_000, count };
  });
  const beyond = between(from, Number.POSITIVE_INFINITY);
  return histogramSamples(labels, buckets).map((sample) =>
    sample.labels.le === '+Inf' || sample.suffix === '_count' ? { ...sample, value: sample.value + beyond } : sample,
  );
}
