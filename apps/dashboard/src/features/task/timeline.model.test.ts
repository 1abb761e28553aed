import type { TaskEvent } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { firstWait, leaseLength, runsOf, shardOf } from './timeline.model.ts';

const BASE = Date.parse('2026-11-30T14:30:05.164Z');
const event = (ms: number, name: TaskEvent['event'], facts: Partial<TaskEvent> = {}): TaskEvent => ({
  at: new Date(BASE + ms).toISOString(),
  event: name,
  ...facts,
});
const events = [
  event(0, 'submitted'),
  event(3_200, 'claimed', { run: 1, worker_id: 'ocr-a1' }),
  event(13_200, 'renewed', { run: 1 }),
  event(23_200, 'renewed', { run: 1 }),
  event(63_200, 'failed', { run: 1, code: 'timeout' }),
  event(64_800, 'promoted'),
  event(66_400, 'claimed', { run: 2, worker_id: 'ocr-c1' }),
  event(97_300, 'reaped', { run: 2, code: 'crash' }),
  event(99_700, 'claimed', { run: 3, worker_id: 'ocr-a2' }),
];
const error = {
  at: new Date(BASE + 63_200).toISOString(),
  code: 'timeout',
  message: 'Page 1 took longer than 60 s.',
  attempt: 1,
  stack: 'at run',
};

describe('runsOf', () => {
  const runs = runsOf([...events].reverse(), { status: 'processing', errors: [error] });
  it('groups by run, newest first, and says how each ended', () => {
    expect(runs.map(({ run, ending, lasted }) => [run, ending, lasted])).toEqual([
      [3, 'now', null],
      [2, 'crashed', 30_900],
      [1, 'failed', 60_000],
    ]);
  });
  it('keeps what came before the first claim with the first run, and joins renewals', () => {
    expect(runs[2]?.steps.map(({ event: { event: name }, times }) => `${name} ${times}`)).toEqual([
      'promoted 1',
      'failed 1',
      'renewed 2',
      'claimed 1',
      'submitted 1',
    ]);
  });
  it('finds the error of a failure', () => {
    expect(runs[2]?.steps[1]?.error?.stack).toBe('at run');
    expect(runs[1]?.steps[0]?.error).toBeUndefined();
  });
  it('tells the error of a death once, with the failure that led to it', () => {
    const [run] = runsOf(
      [
        event(0, 'claimed', { run: 1 }),
        event(63_200, 'failed', { run: 1, code: 'timeout' }),
        event(63_200, 'dead_lettered', { code: 'timeout' }),
      ],
      { status: 'dead_letter', errors: [error] },
    );
    expect(run?.steps.map((step) => step.error?.code)).toEqual([undefined, 'timeout', undefined]);
  });
  it('has one open group for a task that nobody has claimed', () => {
    expect(runsOf([event(0, 'submitted')], { status: 'pending', errors: [] })).toMatchObject([{ run: null, ending: 'open', lasted: null }]);
    expect(runsOf([], { status: 'pending', errors: [] })).toEqual([]);
  });
});

describe('facts of a run', () => {
  it('tells wait, lease and shard', () => {
    expect(firstWait(events)).toBe(3_200);
    expect(leaseLength(events, new Date(BASE + 129_700).toISOString())).toBe(30_000);
    expect(leaseLength([], new Date(BASE).toISOString())).toBeNull();
    expect(shardOf({ task_id: 'glm-ocr-02-00000009g0c4-a1t8zd', queue: 'glm-ocr' })).toBe('02');
  });
});
