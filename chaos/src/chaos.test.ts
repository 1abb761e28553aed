import { expect, it } from 'vitest';
import { check } from './check/check.ts';
import { runChaos } from './run/run-chaos.ts';
import { SETTING } from './run/setting.ts';
import { FAULT_KINDS } from './schedule/plan-faults.ts';
import { planSchedule } from './schedule/schedule.ts';

/** The short form of `npm run chaos`: one deck of faults, always the same. */
const SCHEDULE = planSchedule({
  seed: 20_240,
  durationMs: 12_000,
  workers: 3,
  producers: 2,
  tasksPerSecond: 12,
  leaseMs: SETTING.leaseMs,
  faultGapMs: 700,
  faultKinds: [],
  workTypes: [],
});

it('keeps every promise while everything around it fails', { timeout: 240_000 }, async () => {
  expect(new Set(SCHEDULE.faults.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
  const evidence = await runChaos({
    schedule: SCHEDULE,
    sabotage: null,
    patience: { stillMs: 30_000, mostMs: 100_000 },
    say: () => undefined,
    keep: false,
  });
  const { findings, figures } = check(evidence);
  expect(findings).toEqual([]);
  // That it is not an empty run which kept them.
  expect(figures.acknowledged).toBeGreaterThan(100);
  expect(Object.values(figures.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(SCHEDULE.faults.length);
  expect(figures.reapDelaysMs.length).toBeGreaterThan(0);
});
