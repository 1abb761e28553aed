import type { Clock } from '../clock.ts';

/** Over how long runs are remembered, milliseconds. */
const MEMORY_MS = 200;
/** A claim's time is averaged over about this many. */
const CLAIMS_REMEMBERED = 8;
/** However long runs take, free slots are filled in at most this many claims. */
const MOST_CLAIMS_TO_FILL = 10;

/**
 * How many of the free slots one claim fills. Slots that are filled together fall free together where tasks take equally long, and a
 * better task that comes meanwhile waits for the next such moment. So a claim takes what falls free while it is under way: everything
 * where tasks are tiny and each call counts, little where they are long; in a few rounds the slots are spread in time. What begins on
 * an idle worker is claimed at once.
 */
export class ClaimPace {
  private readonly clock: Clock;
  private readonly slots: number;
  private idle = true;
  private running = 0;
  /** Both weigh less the longer ago they were: ends of runs, and the milliseconds that all runs took together. */
  private ends = 0;
  private runMs = 0;
  private at: number;
  private claimMs: number | null = null;

  constructor(clock: Clock, slots: number) {
    this.clock = clock;
    this.slots = slots;
    this.at = clock.monotonic();
  }

  began(): void {
    this.advance();
    this.running++;
    this.idle = false;
  }

  ended(): void {
    this.advance();
    this.running--;
    this.ends++;
  }

  /** A claim took `ms` milliseconds and found `count` tasks. */
  claimed(ms: number, count: number): void {
    this.claimMs = this.claimMs === null ? ms : this.claimMs + (ms - this.claimMs) / CLAIMS_REMEMBERED;
    if (count === 0 && this.running === 0) this.idle = true;
  }

  /** How many of `free` slots the next claim is to fill. */
  limit(free: number): number {
    if (this.idle || this.claimMs === null || free <= 1) return free;
    this.advance();
    const fallingFree = this.runMs === 0 ? this.slots : (this.slots * this.claimMs * this.ends) / this.runMs;
    return Math.min(free, Math.ceil(Math.max(this.slots / MOST_CLAIMS_TO_FILL, fallingFree)));
  }

  private advance(): void {
    const passed = this.clock.monotonic() - this.at;
    if (passed === 0) return;
    const kept = Math.exp(-passed / MEMORY_MS);
    this.ends *= kept;
    this.runMs = this.runMs * kept + this.running * passed;
    this.at += passed;
  }
}
