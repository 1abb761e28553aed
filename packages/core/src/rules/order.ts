import type { OrderPolicy } from '@galley/contract';

/**
 * The score of a task, fixed at submit (DESIGN P4): score = base + clockWeight × submit time, where Redis's clock is the
 * submit time, so the script adds it.
 */
export interface ScoreFormula {
  readonly base: number;
  /** 0 or 1. */
  readonly clockWeight: 0 | 1;
}

/** Milliseconds that one step of the priority's number is worth under `aging`: a bulk task (1000) is overtaken by urgent ones for at most 1,000 s. */
export const AGING_ALLOWANCE_MS = 1_000;

/** Turns of one priority under `fair`; a score stays exact in a double. */
export const TURNS_PER_PRIORITY = 2 ** 42;

/**
 * - `strict`: the priority alone. Ties by id, which is by arrival.
 * - `aging`: submit time plus an allowance that grows with the priority's number, so that no task submitted more than
 *   its bound later overtakes it.
 * - `fair`: the priority, and within it the user's virtual turn (start-time fair queuing), so that one user's many tasks do
 *   not starve another's few. `turn`: from fair-turns.ts.
 */
export function scoreFormula(policy: OrderPolicy, priority: number, turn = 0): ScoreFormula {
  switch (policy) {
    case 'strict':
      return { base: priority, clockWeight: 0 };
    case 'aging':
      return { base: priority * AGING_ALLOWANCE_MS, clockWeight: 1 };
    case 'fair':
      return { base: priority * TURNS_PER_PRIORITY + turn, clockWeight: 0 };
  }
}
