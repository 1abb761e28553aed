import { describe, expect, test } from 'vitest';
import { WATCHES_PER_CLIENT, Watches } from './watches.ts';

const id = (number: number): string => `ocr-00-${String(number).padStart(12, '0')}-aaaaaa`;

describe('watches', () => {
  test('a change of a page is a change of its document, and of nothing else', () => {
    const watches = new Watches<string>();
    watches.add('one', id(1));
    expect(watches.touched([`${id(1)}.00002`, id(2), 'nonsense.1'])).toEqual([id(1)]);
    expect(watches.touched([id(1)])).toEqual([id(1)]);
    watches.remove('one', id(1));
    expect(watches.touched([id(1)])).toEqual([]);
    expect(watches.taskIds()).toEqual([]);
  });

  test('are bounded per client, and end with it', () => {
    const watches = new Watches<string>();
    for (let number = 0; number < WATCHES_PER_CLIENT; number++) expect(watches.add('one', id(number))).toBe(true);
    expect(watches.add('one', id(WATCHES_PER_CLIENT))).toBe(false);
    expect(watches.add('one', id(0))).toBe(true);
    expect(watches.add('two', id(0))).toBe(true);
    expect(watches.removeClient('one')).toHaveLength(WATCHES_PER_CLIENT - 1);
    expect(watches.watchers(id(0))).toEqual(['two']);
  });
});
