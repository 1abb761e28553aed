import { expect, it } from 'vitest';
import { check } from './check/check.ts';
import { runChaos } from './run/run-chaos.ts';
import { SETTING } from './run/setting.ts';
import { FAULT_KINDS } from './schedule/plan-faults.ts';
import { planSchedule, type Schedule } from './schedule/schedule.ts';

/** The short form of `npm run chaos`: at least one deck of faults, always the same. */
function shortSchedule(durationMs: number): Schedule {
  return planSchedule({
    seed: 20_240,
    durationMs,
    workers: 3,
    producers: 2,
    tasksPerSecond: 12,
    leaseMs: SETTING.leaseMs,
    faultGapMs: 700,
    faultKinds: [],
    workTypes: [],
  });
}

const PATIENCE = { stillMs: 30_000, mostMs: 100_000 };

it('keeps every promise while everything around it fails', { timeout: 240_000 }, async () => {
  const schedule = shortSchedule(12_000);
  expect(new Set(schedule.faults.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
  const evidence = await runChaos({
    schedule,
    sabotage: null,
    timelines: true,
    retryDead: true,
    patience: PATIENCE,
    say: () => undefined,
    keep: false,
  });
  const { findings, figures } = check(evidence);
  expect(findings).toEqual([]);
  // That it is not an empty run which kept them.
  expect(figures.acknowledged).toBeGreaterThan(100);
  expect(Object.values(figures.faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(schedule.faults.length);
  expect(figures.reapDelaysMs.length).toBeGreaterThan(0);
});

it('keeps them on the quick paths of the scripts too, which only tasks without timelines take', { timeout: 240_000 }, async () => {
  const schedule = shortSchedule(6_000);
  const evidence = await runChaos({
    schedule,
    sabotage: null,
    timelines: false,
    retryDead: true,
    patience: PATIENCE,
    say: () => undefined,
    keep: false,
  });
  expect(check(evidence).findings).toEqual([]);
  expect([...evidence.final.tasks.values()].filter(({ view }) => view.state === 'completed').length).toBeGreaterThan(30);
});
