import type { Task } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { withQuery } from '../../routing/paths.ts';
import { actionFilter, allows, filterFields, isFiltered, listFilter, NO_FILTER, parseFilter, stillMatches } from './filter.model.ts';

const NOW = Date.parse('2026-11-30T14:00:00.000Z');
const address = '/tasks?status=pending,retrying&priority=10&user_id=team-claims&engine=onnx&age=1h&q=claims&order=oldest';
const filter = parseFilter(new URLSearchParams(address.split('?')[1]));

describe('the filter in the address', () => {
  it('goes there and back', () => {
    expect(withQuery('/tasks', filterFields(filter))).toBe(address);
    expect(isFiltered(filter)).toBe(true);
    expect(isFiltered({ ...NO_FILTER, order: 'oldest' })).toBe(false);
  });
  it('leaves nonsense out', () => {
    expect(parseFilter(new URLSearchParams('status=done,pending&priority=9999&engine=x&age=1y&since=soon&user_id=a%20b'))).toEqual({
      ...NO_FILTER,
      states: ['pending'],
    });
    expect(parseFilter(new URLSearchParams('priority=high')).priority).toBe(10);
  });
});

describe('the filter for the server', () => {
  it('counts ages from the server’s time', () => {
    expect(listFilter(filter, 'ocr', NOW)).toMatchObject({
      queue: 'ocr',
      since: '2026-11-30T13:00:00.000Z',
      until: undefined,
      order: 'oldest',
    });
    expect(listFilter({ ...NO_FILTER, age: 'over-24h' }, 'ocr', NOW)).toMatchObject({
      until: '2026-11-29T14:00:00.000Z',
      since: undefined,
    });
  });
  it('carries nothing that is not set into an action', () => {
    expect(actionFilter({ ...NO_FILTER, states: ['pending'] }, 'ocr', NOW)).toEqual({
      queue: 'ocr',
      type: 'document',
      status: ['pending'],
    });
  });
});

describe('rows and actions', () => {
  it('knows a row that has moved on', () => {
    const task = { status: 'processing', priority: 10 } as Task;
    expect(stillMatches(filter, task)).toBe(false);
    expect(stillMatches({ ...filter, states: [] }, task)).toBe(true);
  });
  it('allows what the state allows', () => {
    expect([
      allows('retry', 'pending'),
      allows('retry', 'dead_letter'),
      allows('cancel', 'processing'),
      allows('cancel', 'completed'),
    ]).toEqual([false, true, true, false]);
    expect([allows('reprioritize', 'processing'), allows('reprioritize', 'scheduled')]).toEqual([false, true]);
  });
});
