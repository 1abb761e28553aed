import type { Clock } from '../clock.ts';

/**
 * Holds the reaper back after a gap of our own (DESIGN P5): when no pass ran for over two periods (Redis was away, or this
 * process was frozen), holders get one renewal interval first, and leases that ran out in the gap count no crash. Who has just
 * begun cannot know of a gap: its first pass may be Redis's first moment after an outage, so it holds back as well. What is
 * not renewed by then has lost its holder, and counts.
 */
export class ReapGate {
  private readonly startedAt: number;
  private lastPass: number | null = null;
  private holdUntil = 0;
  private forgiveUntil = 0;
  /** A hold has ended or will, and no pass has been let through since. */
  private owesPass = false;
  private readonly clock: Clock;
  private readonly periodMs: number;
  private readonly renewalMs: number;

  constructor(clock: Clock, periodMs: number, renewalMs: number) {
    this.clock = clock;
    this.periodMs = periodMs;
    this.renewalMs = renewalMs;
    this.startedAt = clock.monotonic();
  }

  /** What the pass that is due now may do. */
  open(): 'hold' | 'forgive' | 'count' {
    const now = this.clock.monotonic();
    const isFirst = this.lastPass === null;
    const gap = now - (this.lastPass ?? this.startedAt);
    this.lastPass = now;
    // Where every pass is late, on a busy machine, each would begin a new hold and nothing would ever be reaped: a hold is
    // begun anew only by a gap that is longer than itself.
    const goesOn = this.owesPass && gap <= this.renewalMs;
    if (gap > 2 * this.periodMs && !goesOn) {
      this.holdUntil = now + this.renewalMs;
      this.owesPass = true;
    } else if (isFirst) this.holdUntil = now + this.renewalMs;
    if (now < this.holdUntil) return 'hold';
    if (this.owesPass) {
      this.owesPass = false;
      this.forgiveUntil = now + this.periodMs;
    }
    return now < this.forgiveUntil ? 'forgive' : 'count';
  }
}
