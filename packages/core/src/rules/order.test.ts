import { describe, expect, it } from 'vitest';
import { schedulerSuite } from '../testing/suite.ts';
import { scoreFormula } from './order.ts';

const suite = schedulerSuite();

describe('order', () => {
  it('is the priority alone under strict', () => {
    expect(scoreFormula('strict', 7)).toEqual({ base: 7, clockWeight: 0 });
  });

  it('is the submit time plus an allowance under aging, in the script too', async () => {
    const { scheduler } = await suite.open({ order: 'aging' });
    const id = await scheduler.submit({ priority: 7 });
    const task = await scheduler.get(id);
    const { base, clockWeight } = scoreFormula('aging', 7);
    expect(clockWeight).toBe(1);
    expect(task.score).toBe(base + task.createdAt);
  });

  it('lets nothing overtake under aging that was submitted later than the bound', () => {
    const urgent = scoreFormula('aging', 1);
    const bulk = scoreFormula('aging', 1_000);
    const bound = bulk.base - urgent.base;
    expect(bound).toBe(999_000);
    const submitted = 1_000_000;
    expect(urgent.base + submitted + bound + 1).toBeGreaterThan(bulk.base + submitted);
    expect(urgent.base + submitted + bound - 1).toBeLessThan(bulk.base + submitted);
  });

  it('keeps scores exact in a double for centuries', () => {
    const { base } = scoreFormula('aging', 1_000);
    const year2500 = 16_725_225_600_000;
    expect(Number.isSafeInteger(base + year2500)).toBe(true);
  });
});
