import { caseOf } from './case.ts';
import type { Evidence, Finding } from './evidence.ts';
import { type Figures, figuresOf } from './figures.ts';
import { cancelled } from './rules/cancelled.ts';
import { crashBudget } from './rules/crash-budget.ts';
import { nothingLost } from './rules/nothing-lost.ts';
import { nothingOrphaned } from './rules/nothing-orphaned.ts';
import { oneResult } from './rules/one-result.ts';
import { orderlyEnds } from './rules/orderly-ends.ts';
import { recovery } from './rules/recovery.ts';
import { samePlace } from './rules/same-place.ts';

const RULES = [nothingLost, oneResult, samePlace, recovery, crashBudget, cancelled, nothingOrphaned, orderlyEnds];

export interface Verdict {
  /** Empty where every promise was kept. */
  readonly findings: readonly Finding[];
  readonly figures: Figures;
}

/** Judges a run by its evidence alone: pure, so that the same evidence always gets the same verdict. */
export function check(evidence: Evidence): Verdict {
  const known = caseOf(evidence);
  return { findings: RULES.flatMap((rule) => [...rule(known)]), figures: figuresOf(known) };
}
