import { describe, expect, test } from 'vitest';
import { MESSAGES_PER_WINDOW, MessageBudget } from './message-budget.ts';
import { WATCHES_PER_CLIENT, Watches } from './watches.ts';

const id = (number: number): string => `ocr-00-${String(number).padStart(12, '0')}-aaaaaa`;

describe('a client that sends on and on', () => {
  test('has a budget that comes back', () => {
    let now = 0;
    const budget = new MessageBudget(() => now);
    for (let count = 0; count < MESSAGES_PER_WINDOW; count++) expect(budget.spend()).toBe(true);
    expect(budget.spend()).toBe(false);
    now = 10_000;
    expect(budget.spend()).toBe(true);
  });
});

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
