import { taskSchema } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { routeUrl } from './client.ts';
import { ApiError } from './error.ts';
import { errorOfAnswer, parseAnswer } from './parsing.ts';

describe('routeUrl', () => {
  it('fills parameters, joins lists and leaves out what is unset', () => {
    expect(routeUrl('getTask', { params: { id: 'ocr-00-000000000001-abcdef' } })).toBe('/api/v1/tasks/ocr-00-000000000001-abcdef');
    expect(routeUrl('listTasks', { query: { status: ['pending', 'retrying'], q: undefined, limit: 50 } })).toBe(
      '/api/v1/tasks?status=pending%2Cretrying&limit=50',
    );
  });
});

describe('refusals', () => {
  it('becomes an ApiError with the catalogue’s remedy where the answer has none', () => {
    const error = errorOfAnswer(
      429,
      { type: 'about:blank', title: 'Too many requests', status: 429, code: 'rate_limited', detail: '61 in a minute' },
      '7',
    );
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, detail: '61 in a minute', message: '61 in a minute', retryAfter: 7 });
    expect(error.remedy).toContain('Retry-After');
  });
  it('says what a proxy’s page is not', () => {
    expect(errorOfAnswer(502, undefined, null)).toMatchObject({ code: 'unexpected_answer', status: 502 });
  });
  it('names the field that does not fit the contract', () => {
    expect(() => parseAnswer(taskSchema, { task_id: 'x' }, 200, 'getTask')).toThrow(ApiError);
    expect(() => parseAnswer(taskSchema, { task_id: 'x' }, 200, 'getTask')).toThrow(/getTask: task_id/);
  });
});
