import { LONGEST_TIMER_MS } from './lock-options.ts';

export interface Deadline {
  /** On `performance.now()`. */
  readonly at: number;
  readonly onReached: () => void;
}

/**
 * Limits of time that are hardly ever reached: one timer for all of them, since one for each costs as much as the rest of taking a lock
 * that is free. The timer stays when the deadline that it was set for is taken back, and looks then who else is due.
 */
export class Deadlines {
  readonly #pending = new Set<Deadline>();
  #timer: NodeJS.Timeout | null = null;
  #firesAt = Number.POSITIVE_INFINITY;

  /** `onReached` is called once after so many milliseconds, unless `remove` comes first. Infinity is no limit. */
  add(milliseconds: number, onReached: () => void): Deadline {
    const deadline = { at: performance.now() + milliseconds, onReached };
    if (milliseconds === Number.POSITIVE_INFINITY) return deadline;
    this.#pending.add(deadline);
    if (deadline.at < this.#firesAt) this.#arm(deadline.at);
    else if (this.#pending.size === 1) this.#timer?.ref();
    return deadline;
  }

  remove(deadline: Deadline): void {
    this.#pending.delete(deadline);
    // Nobody waits for it any more, so it must not keep the process.
    if (this.#pending.size === 0) this.#timer?.unref();
  }

  #arm(at: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(1, Math.ceil(at - performance.now())), LONGEST_TIMER_MS));
  }

  readonly #fire = (): void => {
    this.#timer = null;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const due: Deadline[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of this.#pending) {
      if (deadline.at <= now) due.push(deadline);
      else next = Math.min(next, deadline.at);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
    // One may take another back, or set a new one.
    for (const deadline of due) if (this.#pending.delete(deadline)) deadline.onReached();
  };
}

/** Of this process. */
export const deadlines = new Deadlines();
