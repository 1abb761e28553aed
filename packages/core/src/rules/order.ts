import type { OrderPolicy } from '@galley/contract';

/**
 * The score of a task, fixed at submit (DESIGN P4): score = base + weight × submit time.
 * `strict`: the priority alone. `aging`: submit time plus an allowance that grows with the priority's number, so that no
 * task submitted later than its bound overtakes it. Redis's clock is the submit time, so the script adds it.
 */
export interface ScoreFormula {
  readonly base: number;
  /** 0 or 1: whether Redis's time at submit is added. */
  readonly clockWeight: 0 | 1;
}

/** Milliseconds that one step of priority number is worth under `aging`: bulk (1000) waits at most 1,000 s for urgent ones. */
const AGING_ALLOWANCE_MS = 1_000;

export function scoreFormula(policy: OrderPolicy, priority: number): ScoreFormula {
  switch (policy) {
    case 'strict':
      return { base: priority, clockWeight: 0 };
    case 'aging':
    case 'fair':
      return { base: priority * AGING_ALLOWANCE_MS, clockWeight: 1 };
  }
}
