import { expect, it } from 'vitest';
import { check } from './check/check.ts';
import type { PromiseName } from './check/evidence.ts';
import { runChaos } from './run/run-chaos.ts';
import { SETTING } from './run/setting.ts';
import type { SabotageName } from './sabotage/sabotages.ts';
import type { FaultKind } from './schedule/plan-faults.ts';
import { planSchedule } from './schedule/schedule.ts';
import type { WorkType } from './work/work.ts';

interface Broken {
  readonly sabotage: SabotageName;
  /** The promise that must be found broken. */
  readonly promise: PromiseName;
  readonly faults: readonly FaultKind[];
  readonly work: readonly WorkType[];
}

/** Each with the faults and the work under which its rule matters. */
const BROKEN: readonly Broken[] = [
  { sabotage: 'no-fence-check', promise: 'P2', faults: ['worker-freeze'], work: ['slow'] },
  { sabotage: 'double-claim', promise: 'P2', faults: ['script-flush'], work: ['slow'] },
  { sabotage: 'early-reaper', promise: 'P2', faults: ['script-flush'], work: ['slow'] },
  { sabotage: 'lost-task', promise: 'P1', faults: ['script-flush'], work: ['quick'] },
  { sabotage: 'lost-place', promise: 'P3', faults: ['worker-kill'], work: ['slow'] },
  { sabotage: 'no-crash-budget', promise: 'P6', faults: ['script-flush'], work: ['killer'] },
  { sabotage: 'resurrected-cancel', promise: 'P9', faults: ['script-flush'], work: ['slow'] },
  { sabotage: 'lock-without-ttl', promise: 'P12', faults: ['script-flush'], work: ['slow'] },
];

it.each(BROKEN)('sees that $promise is broken by $sabotage', { timeout: 90_000 }, async ({ sabotage, promise, faults, work }) => {
  const schedule = planSchedule({
    seed: 7,
    durationMs: 6_000,
    workers: 2,
    producers: 1,
    tasksPerSecond: 10,
    leaseMs: SETTING.leaseMs,
    faultGapMs: 1_000,
    faultKinds: faults,
    workTypes: work,
  });
  const evidence = await runChaos({ schedule, sabotage, restMs: 12_000, say: () => undefined, keep: false });
  const { findings } = check(evidence);
  expect(findings.map((finding) => finding.promise)).toContain(promise);
});
