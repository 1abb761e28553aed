import { describe, expect, it } from 'vitest';
import { concurrencyOf, overlapsOf, runsDuring } from './overlaps.ts';
import type { LoggedRun } from './run-log.ts';

function run(task: string, start: number, end: number | null, other: Partial<LoggedRun> = {}): LoggedRun {
  return { task, start, end, fence: start, worker: 'w', shard: '00', lost: false, ...other };
}
const nobody: ReadonlySet<string> = new Set();
const span = { from: 0, to: 100 };

describe('overlaps', () => {
  it('are pairs of runs of one task that share a moment, and not runs that follow each other or are of other tasks', () => {
    const [first, second] = [run('a', 0, 11), run('a', 10, 20)];
    expect(overlapsOf([second, first, run('b', 5, 15)], nobody)).toEqual([{ task: 'a', earlier: first, later: second }]);
    expect(overlapsOf([run('a', 0, 10), run('a', 10, 20)], nobody)).toEqual([]);
  });

  it('are found past a run that lies between', () => {
    expect(overlapsOf([run('a', 0, 50), run('a', 10, 20), run('a', 30, 40)], nobody)).toHaveLength(2);
  });

  it('are those of a run without an end where its worker lives; a dead one’s has ended with it', () => {
    const runs = [run('a', 0, null, { worker: 'w1' }), run('a', 10, 20, { worker: 'w2' })];
    expect(overlapsOf(runs, nobody)).toEqual([]);
    expect(overlapsOf(runs, new Set(['w1', 'w2']))).toHaveLength(1);
  });
});

describe('runs of a span', () => {
  it('are those with a moment in it', () => {
    const runs = [run('before', -20, 0), run('into', -20, 1), run('in', 5, 6), run('on', 50, null), run('after', 100, 120)];
    expect(runsDuring(runs, nobody, span).map(({ task }) => task)).toEqual(['into', 'in', 'on']);
  });

  it('are those that began before it and go on, unless their worker died', () => {
    const runs = [run('left', -20, null, { worker: 'gone' }), run('goes on', -20, null, { worker: 'here' })];
    expect(runsDuring(runs, new Set(['here']), span).map(({ task }) => task)).toEqual(['goes on']);
  });
});

describe('concurrency', () => {
  it('counts runs side by side, the most and on average while something runs', () => {
    expect(concurrencyOf([run('a', 0, 20), run('b', 10, 20), run('c', 60, 80)], nobody, span)).toEqual({ most: 2, mean: 50 / 40 });
  });

  it('of runs that take turns is one', () => {
    expect(concurrencyOf([run('b', 10, 20), run('a', 0, 10), run('c', 20, 100)], nobody, span)).toEqual({ most: 1, mean: 1 });
  });

  it('leaves out what a dead worker left open, and cuts off what lies outside', () => {
    const open = run('a', 0, null, { worker: 'w1' });
    expect(concurrencyOf([open], nobody, span)).toBeNull();
    expect(concurrencyOf([open, run('b', -50, 50)], new Set(['w1']), span)).toEqual({ most: 2, mean: 1.5 });
  });
});
