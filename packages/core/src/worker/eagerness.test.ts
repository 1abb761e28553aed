import { describe, expect, it } from 'vitest';
import { Eagerness } from './eagerness.ts';

/** Numbers in [0, 1) that are the same in each run. */
function sequence(): () => number {
  let state = 1_234_567_891;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** So many idle workers hear of one task after the other; of those that act at once the first gets it. How many asked, on average. */
function askingAtOnce(workers: number, tasks: number): { asked: number; nobody: number } {
  const random = sequence();
  const crowd = Array.from({ length: workers }, () => new Eagerness(random));
  let asked = 0;
  let nobody = 0;
  for (let task = 0; task < tasks; task++) {
    const delays = crowd.map((worker) => ({ worker, delay: worker.delayMs(), luck: random() }));
    const eager = delays.filter(({ delay }) => delay === 0).sort((a, b) => a.luck - b.luck);
    if (task >= tasks / 2) {
      asked += eager.length;
      if (eager.length === 0) nobody++;
    }
    if (eager.length > 0) eager.forEach(({ worker }, index) => worker.acted(index === 0, false));
    else delays.sort((a, b) => a.delay - b.delay).forEach(({ worker }, index) => worker.acted(index === 0, true));
  }
  return { asked: asked / (tasks / 2), nobody: nobody / (tasks / 2) };
}

describe('eagerness', () => {
  it('lets one worker alone act on every word, and hardly ever neither of two', () => {
    expect(askingAtOnce(1, 1_000)).toEqual({ asked: 1, nobody: 0 });
    expect(askingAtOnce(2, 4_000).nobody).toBeLessThan(0.02);
  });

  it('lets a few of many ask for a task, and seldom nobody', () => {
    for (const workers of [8, 100]) {
      const { asked, nobody } = askingAtOnce(workers, 4_000);
      expect(asked).toBeGreaterThan(1);
      expect(asked).toBeLessThan(5);
      expect(nobody).toBeLessThan(0.2);
    }
  });

  it('comes back to acting at once when the others are gone', () => {
    const random = sequence();
    const worker = new Eagerness(random);
    for (let turn = 0; turn < 100; turn++) worker.acted(false, false);
    const delays = Array.from({ length: 50 }, () => worker.delayMs());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...delays)).toBeLessThanOrEqual(20);
    for (let turn = 0; turn < 20; turn++) worker.acted(true, true);
    expect(Array.from({ length: 50 }, () => worker.delayMs())).toEqual(Array.from({ length: 50 }, () => 0));
  });
});
