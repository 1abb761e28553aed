import type { Clock } from '@galley/core';

/** Adds up how long each step of a run took. */
export class Timings {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #steps = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.monotonic();
  }

  async measure<Value>(step: string, run: () => Promise<Value>): Promise<Value> {
    const start = this.#clock.monotonic();
    try {
      return await run();
    } finally {
      this.#steps.set(step, (this.#steps.get(step) ?? 0) + this.#clock.monotonic() - start);
    }
  }

  /** Milliseconds by step, and in `total` since this was made. */
  toRecord(): Record<string, number> {
    const steps = [...this.#steps, ['total', this.#clock.monotonic() - this.#start] as const];
    return Object.fromEntries(steps.map(([step, milliseconds]) => [step, Math.round(milliseconds)]));
  }
}
