import { describe, expect, it } from 'vitest';
import { NO_SELECTION } from '../../store/selectionState.ts';
import { chosenOf, groupEntry, groupsOf, groupToggled, newOf, partsOf, taskToggled, totalOf } from './groups.model.ts';

const hours = (last: number): number[] => [...Array.from({ length: 23 }, (_, index) => (index === 0 ? 9 : 0)), last];
const groups = groupsOf({
  encrypted_document: { count: 8, per_hour: hours(1) },
  crash_loop: { count: 14, per_hour: hours(2) },
  timeout: { count: 0, per_hour: hours(0) },
});

describe('dead-letter groups', () => {
  it('stand by count, with the last twelve hours', () => {
    expect(groups.map(({ code }) => code)).toEqual(['crash_loop', 'encrypted_document']);
    expect(groups[0]?.trend).toHaveLength(12);
    expect([totalOf(groups), newOf(groups)]).toEqual([22, 3]);
  });
  it('are chosen whole, and a dead letter can be taken out again', () => {
    const whole = groupToggled(taskToggled(NO_SELECTION, 'a', 'crash_loop', ['a', 'b', 'c']), 'crash_loop', ['a', 'b', 'c']);
    expect([...whole.ids]).toEqual([groupEntry('crash_loop')]);
    expect(chosenOf(whole, groups)).toEqual({ codes: ['crash_loop'], ids: [], count: 14 });
    const less = taskToggled(whole, 'b', 'crash_loop', ['a', 'b', 'c']);
    expect(chosenOf(less, groups)).toEqual({ codes: [], ids: ['a', 'c'], count: 2 });
  });
  it('forget a chosen group that has emptied', () => {
    expect(chosenOf({ ids: new Set([groupEntry('gone')]), allMatching: false, anchor: null }, groups).count).toBe(0);
  });
  it('go to the server in parts', () => {
    expect(partsOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  });
});
