import type { Clock } from '@galley/core';

/** A wall clock that somebody sets while the process runs; spans are measured by the other, which nobody can set. */
export class SteppedClock implements Clock {
  private offsetMs = 0;

  step(byMs: number): void {
    this.offsetMs += byMs;
  }

  now(): number {
    return Date.now() + this.offsetMs;
  }

  monotonic(): number {
    return performance.now();
  }
}
