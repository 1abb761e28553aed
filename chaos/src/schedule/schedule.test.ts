import { describe, expect, it } from 'vitest';
import { WORK_TYPES } from '../work/work.ts';
import { FAULT_KINDS } from './plan-faults.ts';
import { planSchedule, type ScheduleOptions } from './schedule.ts';

const OPTIONS: ScheduleOptions = {
  seed: 1,
  durationMs: 60_000,
  workers: 3,
  producers: 2,
  tasksPerSecond: 12,
  leaseMs: 2_000,
  faultGapMs: 1_000,
  faultKinds: [],
  workTypes: [],
};

describe('a schedule', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planSchedule(OPTIONS)).toEqual(planSchedule(OPTIONS));
    const other = planSchedule({ ...OPTIONS, seed: 2 });
    expect(other.faults).not.toEqual(planSchedule(OPTIONS).faults);
    expect(other.actions).not.toEqual(planSchedule(OPTIONS).actions);
  });

  it('keeps its faults when only the work changes', () => {
    expect(planSchedule({ ...OPTIONS, tasksPerSecond: 50 }).faults).toEqual(planSchedule(OPTIONS).faults);
  });

  it('holds every kind of fault and of work, in time and at whom there is', () => {
    const { faults, actions } = planSchedule(OPTIONS);
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
    const submits = actions.flat().filter((action) => action.do === 'submit');
    expect(new Set(submits.map(({ type }) => type))).toEqual(new Set(WORK_TYPES));
    expect(submits).toHaveLength(720);
    const targets = new Set(faults.flatMap((fault) => ('target' in fault ? [fault.target] : [])));
    for (const target of targets) expect(['worker-1', 'worker-2', 'worker-3', 'producer-1', 'producer-2', 'server']).toContain(target);
    for (const list of [faults, ...actions]) expect(list.map(({ at }) => at)).toEqual(list.map(({ at }) => at).toSorted((a, b) => a - b));
  });

  it('lets Redis rest between two of its faults', () => {
    for (let seed = 0; seed < 50; seed++) {
      let freeAt = 0;
      for (const fault of planSchedule({ ...OPTIONS, seed }).faults) {
        if (fault.kind !== 'redis-kill' && fault.kind !== 'redis-freeze') continue;
        expect(fault.at).toBeGreaterThanOrEqual(freeAt);
        freeAt = fault.at + fault.forMs + 3_000;
      }
    }
  });

  it('deals only what is named', () => {
    const { faults, actions } = planSchedule({ ...OPTIONS, faultKinds: ['worker-freeze'], workTypes: ['slow', 'quick'] });
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['worker-freeze']));
    const types = actions.flat().flatMap((action) => (action.do === 'submit' ? [action.type] : []));
    expect(new Set(types)).toEqual(new Set(['slow', 'quick']));
  });

  it('steers only what it has submitted before', () => {
    for (const list of planSchedule(OPTIONS).actions) {
      const submitted = new Set<string>();
      for (const action of list) {
        if (action.do === 'submit') submitted.add(action.label);
        else expect(submitted).toContain(action.label);
      }
    }
  });
});
