import type { LoggedRun } from './run-log.ts';

export interface Overlap {
  readonly task: string;
  readonly earlier: LoggedRun;
  readonly later: LoggedRun;
}

export interface Span {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Runs that were under way at some moment of the span. One that a dead worker left open before it had ended by then, as far as is known. */
export function runsDuring(runs: readonly LoggedRun[], alive: ReadonlySet<string>, { from, to }: Span): LoggedRun[] {
  const endOf = (run: LoggedRun): number => run.end ?? (alive.has(run.worker) ? Number.POSITIVE_INFINITY : run.start);
  return runs.filter((run) => run.start < to && (run.start >= from || endOf(run) > from));
}

/**
 * Pairs of runs of one task that were under way at the same moment. A run without an end counts as ended by the next one's start where
 * its worker is gone, since a dead worker can no longer say so.
 */
export function overlapsOf(runs: readonly LoggedRun[], alive: ReadonlySet<string>): Overlap[] {
  const byTask = new Map<string, LoggedRun[]>();
  for (const run of runs) byTask.set(run.task, [...(byTask.get(run.task) ?? []), run]);
  const overlaps: Overlap[] = [];
  for (const [task, own] of byTask) {
    own.sort((a, b) => a.start - b.start || a.fence - b.fence);
    own.forEach((later, index) => {
      for (const earlier of own.slice(0, index)) {
        const end = earlier.end ?? (alive.has(earlier.worker) ? Number.POSITIVE_INFINITY : later.start);
        if (end > later.start) overlaps.push({ task, earlier, later });
      }
    });
  }
  return overlaps;
}

export interface Concurrency {
  /** The most runs under way at one moment. */
  readonly most: number;
  /** Runs under way on average, over the time when there was one. */
  readonly mean: number;
}

/** How many runs went at once during the span; null where none did. When a dead worker's runs ended nobody knows: they are left out. */
export function concurrencyOf(runs: readonly LoggedRun[], alive: ReadonlySet<string>, span: Span): Concurrency | null {
  const known = runs.filter((run) => run.end !== null || alive.has(run.worker));
  const steps = known.flatMap((run) => {
    const from = Math.max(run.start, span.from);
    const to = Math.min(run.end ?? span.to, span.to);
    const steps = [
      { at: from, change: 1 },
      { at: to, change: -1 },
    ];
    return to > from ? steps : [];
  });
  if (steps.length === 0) return null;
  // Ends before starts of the same moment: a slot is free when the next run takes it.
  steps.sort((a, b) => a.at - b.at || a.change - b.change);
  let [now, most, busy, work, last] = [0, 0, 0, 0, 0];
  for (const { at, change } of steps) {
    if (now > 0) busy += at - last;
    work += now * (at - last);
    last = at;
    now += change;
    most = Math.max(most, now);
  }
  return { most, mean: work / busy };
}
