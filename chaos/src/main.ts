import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { check } from './check/check.ts';
import { readOptions } from './options.ts';
import { markdown } from './report/markdown.ts';
import { reportLines } from './report/report.ts';
import { runChaos } from './run/run-chaos.ts';
import { planSchedule } from './schedule/schedule.ts';

/** How long to wait in the end where nothing ends any more, and how long at most. */
const PATIENCE = { stillMs: 60_000, mostMs: 600_000 };

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const { schedule: wanted, sabotage, timelines, keep, report } = readOptions(process.argv.slice(2), randomInt(2 ** 32));
  const schedule = planSchedule(wanted);
  const actions = schedule.actions.reduce((sum, list) => sum + list.length, 0);
  say(`seed ${schedule.seed}: ${schedule.durationMs / 1_000} s, ${actions} actions, ${schedule.faults.length} faults`);
  if (sabotage !== null) say(`sabotaged: ${sabotage}`);
  const evidence = await runChaos({ schedule, sabotage, timelines, keep, say, retryDead: true, patience: PATIENCE });
  const verdict = check(evidence);
  for (const line of reportLines(verdict)) say(line);
  say(verdict.findings.length === 0 ? 'every promise was kept' : `${verdict.findings.length} findings`);
  if (report !== null) await writeFile(report, markdown(schedule, timelines, verdict));
  process.exitCode = verdict.findings.length === 0 ? 0 : 1;
}

// Leaving through `exit` takes Redis along; the other processes leave when they can no longer speak with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

await main();
