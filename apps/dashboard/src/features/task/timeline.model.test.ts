import type { PageState, Task, TaskEvent } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { firstWait, leaseLength, pageDuration, pageSpan, runsOf, shardOf } from './timeline.model.ts';

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

describe('the pages of a long document', () => {
  const split = [
    event(0, 'submitted'),
    event(100, 'claimed', { run: 1 }),
    event(200, 'fanned_out', { run: 1, detail: '20' }),
    event(30_000, 'children_finished'),
    event(30_100, 'claimed', { run: 2 }),
    event(30_200, 'completed', { run: 2 }),
  ];
  const page = (number: number, ms: number, facts: Partial<PageState> = {}): PageState => ({
    page: number,
    status: 'completed',
    task_id: `ocr-02-00000009g0c4-a1t8zd.${String(number).padStart(5, '0')}`,
    started_at: new Date(BASE + ms - 2_900).toISOString(),
    finished_at: new Date(BASE + ms).toISOString(),
    ...facts,
  });
  const task: Pick<Task, 'status' | 'errors'> = { status: 'completed', errors: [] };
  const told = (pages: readonly PageState[]): string[] | undefined =>
    runsOf(split, task, pages)
      .at(-1)
      ?.steps.map(({ event: { event: name }, pages: ended }) => [name, ...ended.map(({ page: number }) => number)].join(' '));

  it('each stand in the run that split it, when they ended; what has not ended does not', () => {
    const { finished_at: _, ...running } = page(3, 9_000, { status: 'processing' });
    const failed = page(4, 6_000, { status: 'dead_letter', error: { code: 'page_too_large', message: 'Too large.' } });
    expect(told([page(1, 5_000), page(2, 4_000), running, failed])).toEqual([
      'children_finished',
      'page_failed 4',
      'page_read 1',
      'page_read 2',
      'fanned_out',
      'claimed',
      'submitted',
    ]);
  });
  it('stand as one where there are many, parted by those that failed', () => {
    const pages = Array.from({ length: 14 }, (_, index) => page(index + 1, 1_000 * (index + 1)));
    pages[3] = page(4, 4_000, { status: 'dead_letter', error: { code: 'page_too_large', message: 'Too large.' } });
    expect(told(pages)?.slice(1, 4)).toEqual(['page_read 5 6 7 8 9 10 11 12 13 14', 'page_failed 4', 'page_read 1 2 3']);
  });
  it('tell how long they took, and whether they are neighbours', () => {
    expect(pageDuration(page(1, 5_000))).toBe(2_900);
    expect(pageDuration({ page: 1, status: 'completed', task_id: 'a' })).toBeNull();
    expect(pageSpan([page(3, 1), page(1, 2), page(2, 3)])).toEqual([1, 3]);
    expect(pageSpan([page(3, 1), page(1, 2)])).toBeNull();
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
