import type { Verdict } from '../check/check.ts';
import { type Finding, PROMISES } from '../check/evidence.ts';
import type { Figures } from '../check/figures.ts';

/** The report of a run, as lines for the terminal; the same in Markdown goes into docs/reliability.md. */
export function reportLines({ findings, figures }: Verdict): string[] {
  return [
    'faults injected',
    ...table(figures.faults),
    'tasks',
    ...table(numbersOf(figures)),
    'ended as',
    ...table(figures.ended),
    'promises',
    ...PROMISES.map((promise) => `  ${promise.padEnd(4)} ${kept(promise, findings)}`),
    ...findings.slice(0, 40).map(({ promise, task, says }) => `  ${promise} ${task ?? ''}: ${says}`),
  ];
}

function kept(promise: string, findings: readonly Finding[]): string {
  const broken = findings.filter((finding) => finding.promise === promise).length;
  return broken === 0 ? 'kept' : `BROKEN, ${broken} findings`;
}

/** Named as a reader would say it. */
export function numbersOf(figures: Figures): Record<string, string | number> {
  return {
    'tasks acknowledged': figures.acknowledged,
    'submits whose answer died with its producer': figures.unanswered,
    'submits answered as duplicates': figures.duplicatesAnswered,
    'children of parents': figures.children,
    'runs begun': figures.runs,
    'runs that repeated finished work (allowed)': figures.repeatedRuns,
    'runs of one task at once, after a lost lease (allowed)': figures.runsAtOnce,
    'late results refused': figures.refusedResults,
    'crashes counted': figures.crashesCounted,
    'expired leases that were forgiven': figures.expiriesForgiven,
    'dead letters revived': figures.revivals,
    'cancels accepted': figures.cancels,
    'from the end of a lease to the line, p50 / max': spread(figures.reapDelaysMs),
    'from Redis’s return to the next run, p50 / max': spread(figures.resumptionsMs),
    'tasks lost': figures.losses,
  };
}

function spread(sorted: readonly number[]): string {
  if (sorted.length === 0) return '–';
  return `${sorted[Math.floor(sorted.length / 2)] ?? 0} / ${sorted.at(-1) ?? 0} ms of ${sorted.length}`;
}

function table(rows: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(rows).map(([name, value]) => `  ${name.padEnd(56)} ${value}`);
}
