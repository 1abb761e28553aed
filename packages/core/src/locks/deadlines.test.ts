import { describe, expect, it } from 'vitest';
import { Deadlines } from './deadlines.ts';

describe('deadlines', () => {
  it('are reached in order, though one timer serves all and the first were taken back', async () => {
    const deadlines = new Deadlines();
    const reached: number[] = [];
    const from = performance.now();
    await new Promise<void>((resolve) => {
      const add = (milliseconds: number): ReturnType<Deadlines['add']> => deadlines.add(milliseconds, () => reached.push(milliseconds));
      deadlines.add(60, resolve);
      add(40);
      const taken = [add(5), add(50)];
      add(20);
      deadlines.add(Number.POSITIVE_INFINITY, () => reached.push(Number.POSITIVE_INFINITY));
      for (const deadline of taken) deadlines.remove(deadline);
    });
    expect(reached).toEqual([20, 40]);
    expect(performance.now() - from).toBeGreaterThanOrEqual(59);
  });

  it('may be set and taken back where others are reached', async () => {
    const deadlines = new Deadlines();
    const reached: string[] = [];
    await new Promise<void>((resolve) => {
      deadlines.add(10, () => {
        reached.push('first');
        deadlines.remove(second);
        deadlines.add(5, resolve);
      });
      const second = deadlines.add(11, () => reached.push('second'));
      // Both are due when the timer comes.
      for (const end = performance.now() + 15; performance.now() < end; );
    });
    expect(reached).toEqual(['first']);
  });

  it('do not keep a process that waits for none of them', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const deadlines = new Deadlines();
    const first = deadlines.add(60_000, () => undefined);
    expect(timers()).toBe(before + 1);
    deadlines.remove(first);
    expect(timers()).toBe(before);
    const second = deadlines.add(70_000, () => undefined);
    expect(timers()).toBe(before + 1);
    deadlines.remove(second);
    expect(timers()).toBe(before);
  });
});
