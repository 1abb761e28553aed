import { describe, expect, it } from 'vitest';
import { isSingleKey, type KeyBinding, matchStroke, nameOfStroke } from './keys.ts';

const stroke = (key: string, held: { ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean; altKey?: boolean } = {}): string | null =>
  nameOfStroke({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held });
const binding = (keys: string): KeyBinding => ({ keys, label: keys, group: 'everywhere', run: () => {} });

describe('nameOfStroke', () => {
  it('names letters, signs and modifiers as bindings write them', () => {
    expect(stroke('k', { ctrlKey: true })).toBe('Mod+k');
    expect(stroke('K', { metaKey: true })).toBe('Mod+k');
    expect(stroke('X', { shiftKey: true })).toBe('Shift+x');
    expect(stroke('?', { shiftKey: true })).toBe('?');
    expect(stroke('ArrowDown')).toBe('ArrowDown');
    expect(stroke('Shift', { shiftKey: true })).toBeNull();
    expect(stroke('k', { altKey: true })).toBeNull();
  });
  it('knows which can be switched off', () => {
    expect(['g', '?', 'Shift+x', 'Mod+k', 'Escape', 'ArrowUp'].map(isSingleKey)).toEqual([true, true, true, false, false, false]);
  });
});

describe('matchStroke', () => {
  const bindings = [binding('g o'), binding('g t'), binding('/'), binding('t')];
  it('completes a sequence', () => {
    const first = matchStroke(bindings, null, 'g');
    expect(first).toEqual({ binding: null, prefix: 'g' });
    expect(matchStroke(bindings, first.prefix, 't').binding?.keys).toBe('g t');
  });
  it('takes a stroke by itself where the sequence is not known', () => {
    expect(matchStroke(bindings, 'g', '/').binding?.keys).toBe('/');
    expect(matchStroke(bindings, null, 'z')).toEqual({ binding: null, prefix: null });
  });
  it('lets a later binding win', () => {
    const later = binding('/');
    expect(matchStroke([...bindings, later], null, '/').binding).toBe(later);
  });
});
