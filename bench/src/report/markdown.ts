import type { Findings, Section, Verdict } from './verdict.ts';

export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly load: string;
  readonly versions: string;
  readonly settings: string;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function verdictText({ passed, margin }: Verdict): string {
  const distance = `${margin >= 0 ? '+' : '−'}${Math.abs(margin).toFixed(0)} %`;
  return passed ? `pass (${distance})` : `**missed (${distance})**`;
}

const COLUMN_NAMES = { with: 'lock keys, results', without: 'without', both: 'either' } as const;

/** The whole of RESULTS.md. */
export function markdown(circumstances: Circumstances, findings: readonly Findings[]): string {
  const verdicts = findings.flatMap((own) => own.verdicts);
  const sections: readonly Section[] = findings.flatMap((own) => own.sections);
  return `${[
    '# Benchmarks',
    '',
    'Written by `npm run bench`. Medians of interleaved rounds, ranges in brackets; a ratio is taken round by round, so that both sides had',
    'the same mood of the machine. Every id was checked to be done exactly once.',
    '',
    ...Object.entries(circumstances).map(([name, text]) => `- ${name}: ${text}`),
    '',
    '## Floors',
    '',
    ...table(
      ['measure', 'variant', 'floor', 'measured', 'verdict'],
      verdicts.map((verdict) => [verdict.measure, COLUMN_NAMES[verdict.column], verdict.floor, verdict.measured, verdictText(verdict)]),
    ),
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', ...section.lines]),
  ].join('\n')}\n`;
}
