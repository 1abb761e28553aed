import type { Clock } from '../clock.ts';
import type { Logger } from '../maintenance/chore.ts';

/** How finely standstills are measured, milliseconds. */
const PERIOD_MS = 50;
/** A standstill of this share of the shortest lease, or of this long, is worth a warning. */
const WARN_SHARE = 0.1;
const WARN_MS = 1_000;

export interface LoopWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly worker: string;
  /** The shortest of this worker's leases, milliseconds. */
  readonly leaseMs: number;
}

/**
 * Measures for how long this process's event loop stands still, and warns: a handler that computes in this process keeps leases from
 * being renewed, which is better heard from here than from a lost lease. It watches only around runs, since watching costs wake-ups.
 * By a timer of its own: Node's histogram of delays begins to count only at its second tick, and the standstill may come before.
 */
export class LoopWatch {
  private readonly options: LoopWatchOptions;
  private timer: NodeJS.Timeout | null = null;
  private lastTick = 0;
  private longest = 0;

  constructor(options: LoopWatchOptions) {
    this.options = options;
  }

  /** To be called when a run begins. */
  begin(): void {
    if (this.timer !== null) return;
    this.lastTick = this.options.clock.monotonic();
    this.timer = setInterval(() => this.tick(), PERIOD_MS);
    this.timer.unref();
  }

  end(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  private tick(): void {
    const now = this.options.clock.monotonic();
    this.longest = Math.max(this.longest, now - this.lastTick - PERIOD_MS);
    this.lastTick = now;
  }

  /**
   * The longest standstill since the last call, in milliseconds. `running`: whether to go on watching; a run that has just ended is
   * still watched until here, for its standstill shows only when the loop goes on.
   */
  take(running: boolean): number {
    if (this.timer !== null) this.tick();
    const ms = Math.round(this.longest);
    this.longest = 0;
    if (!running) this.end();
    if (ms >= Math.min(WARN_MS, WARN_SHARE * this.options.leaseMs)) this.warn(ms);
    return ms;
  }

  private warn(ms: number): void {
    const { logger, worker, leaseMs } = this.options;
    logger.warn(
      { event: 'event loop blocked', worker, ms, lease_ms: leaseMs },
      `the event loop stood still for ${ms} ms and no lease could be renewed meanwhile: run handlers that compute in threads`,
    );
  }
}
