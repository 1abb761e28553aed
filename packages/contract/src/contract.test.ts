import { describe, expect, it } from 'vitest';
import { TASK_ID } from './names.ts';
import { timestampSchema } from './primitives.ts';
import { bandOf } from './priority.ts';
import { priorityInputSchema } from './priority-schema.ts';
import { documentFieldsSchema, taskListQuerySchema, taskRequestSchema } from './requests.ts';
import { ROUTES, routePath } from './routes.ts';
import { FINAL_STATES, isFinal, isLive, LIVE_STATES, TASK_STATES } from './states.ts';

describe('priorities', () => {
  it.each([
    ['urgent', 1],
    ['bulk', 1000],
    ['7', 7],
    [42, 42],
  ])('reads %s as %i', (written, priority) => {
    expect(priorityInputSchema.parse(written)).toBe(priority);
  });

  it.each(['0', 0, 1001, 1.5, 'soon', '', null, 'toString'])('refuses %s with the rule', (written) => {
    const answer = priorityInputSchema.safeParse(written);
    expect(answer.success).toBe(false);
    expect(answer.error?.issues[0]?.message).toContain('integer from 1 to 1000');
  });

  it('falls in bands by its size', () => {
    expect([1, 9, 10, 99, 100, 999, 1000].map(bandOf)).toEqual(['urgent', 'urgent', 'high', 'high', 'normal', 'normal', 'bulk']);
  });
});

describe('states', () => {
  it('are live or final, never both', () => {
    expect([...LIVE_STATES, ...FINAL_STATES].sort()).toEqual([...TASK_STATES].sort());
    for (const state of TASK_STATES) expect(isLive(state)).not.toBe(isFinal(state));
  });
});

describe('requests', () => {
  it('refuse fields that nobody knows', () => {
    expect(documentFieldsSchema.safeParse({ priorty: 'high' }).success).toBe(false);
    expect(taskRequestSchema.safeParse({ image_url: 'https://example.com/a.png', path: '/etc/passwd' }).success).toBe(false);
  });

  it('take web addresses only', () => {
    expect(taskRequestSchema.safeParse({ image_url: 'file:///etc/passwd' }).success).toBe(false);
    expect(taskRequestSchema.safeParse({ image_url: 'https://example.com/a.png' }).success).toBe(true);
    expect(taskRequestSchema.safeParse({ image_url: 'https://example.com/a@b?to=c@d' }).success).toBe(true);
    expect(taskRequestSchema.safeParse({ image_url: 'https://exa mple/' }).success).toBe(false);
    expect(taskRequestSchema.safeParse({ image_url: 'https://example.com/a\u0007.png' }).success).toBe(false);
    expect(taskRequestSchema.safeParse({ image_url: 'https://example.com/a.png', concurrency_key: 'a\nb' }).success).toBe(false);
    // A URL is shown to whoever may see its task.
    expect(taskRequestSchema.safeParse({ image_url: 'https://user:word@example.com/a.png' }).success).toBe(false);
  });

  it('read a list of states and a limit from a query', () => {
    expect(taskListQuerySchema.parse({ status: 'pending,dead_letter', limit: '50' })).toEqual({
      status: ['pending', 'dead_letter'],
      limit: 50,
    });
    expect(taskListQuerySchema.safeParse({ status: 'done' }).success).toBe(false);
    expect(taskListQuerySchema.safeParse({ limit: '201' }).success).toBe(false);
  });
});

describe('ids and routes', () => {
  it('know a task id and a child id', () => {
    expect(TASK_ID.test('ocr-07-00000000abc1-x7k2p9')).toBe(true);
    expect(TASK_ID.test('ocr-07-00000000abc1-x7k2p9.00012')).toBe(true);
    expect(TASK_ID.test('ocr-07-00000000abc1-x7k2p9/../x')).toBe(false);
  });

  it('fill and encode route parameters', () => {
    expect(routePath('getPage', { id: 'a/b', n: 3 })).toBe('/api/v1/tasks/a%2Fb/pages/3');
    expect(() => routePath('getPage', { id: 'x' })).toThrow('needs the parameter n');
  });

  it('are each there once', () => {
    const all = Object.values(ROUTES).map((route) => `${route.method} ${route.path}`);
    expect(new Set(all).size).toBe(all.length);
  });

  it('write timestamps in UTC with milliseconds', () => {
    expect(timestampSchema.safeParse(new Date(0).toISOString()).success).toBe(true);
    for (const text of ['2026-11-30T14:31:54+01:00', '2027-13-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '2026-11-30T23:59:60.000Z'])
      expect(timestampSchema.safeParse(text).success).toBe(false);
  });
});
