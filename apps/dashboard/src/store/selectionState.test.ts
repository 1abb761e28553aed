import { describe, expect, it } from 'vitest';
import { allSelected, extendedTo, NO_SELECTION, toggled } from './selectionState.ts';

const shown = ['a', 'b', 'c', 'd'];

describe('selection', () => {
  it('toggles a row and makes it the anchor of a range', () => {
    const one = toggled(NO_SELECTION, 'b');
    expect([...extendedTo(one, 'd', shown).ids]).toEqual(['b', 'c', 'd']);
    expect([...extendedTo(one, 'a', shown).ids].sort()).toEqual(['a', 'b']);
    expect(toggled(one, 'b').ids.size).toBe(0);
  });
  it('toggles where the anchor is no longer shown', () => {
    expect([...extendedTo(toggled(NO_SELECTION, 'gone'), 'c', shown).ids]).toEqual(['gone', 'c']);
  });
  it('takes all shown first, and all that match when asked again', () => {
    const all = allSelected(NO_SELECTION, shown);
    expect(all.allMatching).toBe(false);
    expect(allSelected(all, shown).allMatching).toBe(true);
    expect(toggled(allSelected(all, shown), 'a').allMatching).toBe(false);
  });
});
