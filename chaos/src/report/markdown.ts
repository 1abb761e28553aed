import { cpus } from 'node:os';
import type { Verdict } from '../check/check.ts';
import { PROMISES } from '../check/evidence.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { numbersOf } from './report.ts';

function rows(table: Readonly<Record<string, string | number>>): string {
  return Object.entries(table)
    .map(([name, value]) => `| ${name} | ${value} |`)
    .join('\n');
}

/** The command that plans and does the same again. */
export function commandOf(schedule: Schedule, timelines: boolean): string {
  const { seed, durationMs, workers, producers, tasksPerSecond, faultGapMs, faultKinds, workTypes } = schedule;
  const lists = [
    ...(faultKinds.length > 0 ? ['--faults', faultKinds.join()] : []),
    ...(workTypes.length > 0 ? ['--work', workTypes.join()] : []),
  ];
  const numbers = `--seed ${seed} --seconds ${durationMs / 1_000} --workers ${workers} --producers ${producers} --rate ${tasksPerSecond} --gap ${faultGapMs}`;
  return [`npm run chaos -- ${numbers}`, ...lists, ...(timelines ? [] : ['--no-timelines'])].join(' ');
}

/** A run's report for docs/reliability.md. */
export function markdown(schedule: Schedule, timelines: boolean, { findings, figures }: Verdict): string {
  const broken = (promise: string): number => findings.filter((finding) => finding.promise === promise).length;
  const promises = PROMISES.map((promise) => [promise, broken(promise) === 0 ? 'kept' : `broken: ${broken(promise)} findings`] as const);
  return `\`\`\`sh
${commandOf(schedule, timelines)}
\`\`\`

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores shared with other work; ${schedule.durationMs / 1_000} s of faults and work, then until everything had ended.

| fault | times |
|---|---|
${rows(figures.faults)}

| | |
|---|---|
${rows(numbersOf(figures))}

| ended as | tasks |
|---|---|
${rows(figures.ended)}

| promise | |
|---|---|
${rows(Object.fromEntries(promises))}
`;
}
