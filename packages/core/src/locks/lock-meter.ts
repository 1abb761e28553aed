import { type DurationHistogram, durationBucket } from '../rules/histogram.ts';
import type { LockObserver, LockRefusal } from './lock-observer.ts';

export const LOCK_REFUSALS: readonly LockRefusal[] = ['busy', 'timeout', 'aborted', 'unreachable'];

export interface LockTotals {
  readonly acquired: number;
  /** Of those, how many had to wait. */
  readonly contended: number;
  readonly refused: Readonly<Record<LockRefusal, number>>;
  readonly released: number;
  readonly lost: number;
  /** From the call to the grant; buckets as in `bucketEnd`, read with `quantile`. */
  readonly waitMs: DurationHistogram;
  /** From the grant to the release or the loss. */
  readonly holdMs: DurationHistogram;
}

/** Counts what an observer hears: latency of acquiring, contention, hold time, losses. */
export class LockMeter implements LockObserver {
  readonly #counts = { acquired: 0, contended: 0, released: 0, lost: 0 };
  readonly #refused: Record<LockRefusal, number> = { busy: 0, timeout: 0, aborted: 0, unreachable: 0 };
  readonly #waitMs = new Map<number, number>();
  readonly #holdMs = new Map<number, number>();

  acquired({ waitedMs, contended }: Parameters<LockObserver['acquired']>[0]): void {
    this.#counts.acquired++;
    if (contended) this.#counts.contended++;
    add(this.#waitMs, waitedMs);
  }

  refused({ reason }: Parameters<LockObserver['refused']>[0]): void {
    this.#refused[reason]++;
  }

  released({ heldMs }: Parameters<LockObserver['released']>[0]): void {
    this.#counts.released++;
    add(this.#holdMs, heldMs);
  }

  lost({ heldMs }: Parameters<LockObserver['lost']>[0]): void {
    this.#counts.lost++;
    add(this.#holdMs, heldMs);
  }

  totals(): LockTotals {
    return { ...this.#counts, refused: { ...this.#refused }, waitMs: new Map(this.#waitMs), holdMs: new Map(this.#holdMs) };
  }
}

function add(histogram: Map<number, number>, milliseconds: number): void {
  const bucket = durationBucket(milliseconds);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}
