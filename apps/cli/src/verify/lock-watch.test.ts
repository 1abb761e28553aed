import { describe, expect, it } from 'vitest';
import { contradictionOf } from './lock-watch.ts';

const NOW = 1_000_000;
const places = { id: 'task', now: NOW, leaseMs: 30_000 };

describe('a lock key and a lease entry', () => {
  it.each([
    ['both there', { expiry: NOW + 20_000, ttlMs: 20_000 }],
    ['both gone', { expiry: null, ttlMs: -2 }],
    ['the lease over, the reaper not there yet', { expiry: NOW - 500, ttlMs: -2 }],
    ['the lease over, the reaper holding back after a gap', { expiry: NOW - 12_000, ttlMs: -2 }],
    ['the lease over in the very millisecond', { expiry: NOW + 1, ttlMs: -2 }],
  ])('do not contradict each other: %s', (_, seen) => {
    expect(contradictionOf({ ...places, ...seen })).toBeNull();
  });

  it.each([
    ['has a lock key and is not running', { expiry: null, ttlMs: 5_000 }],
    ['has a lock key and is not running', { expiry: null, ttlMs: -1 }],
    ['is running and has no lock key', { expiry: NOW + 20_000, ttlMs: -2 }],
    ['nobody took the task back', { expiry: NOW - 20_000, ttlMs: -2 }],
  ])('contradict each other: %s', (words, seen) => {
    expect(contradictionOf({ ...places, ...seen })).toContain(words);
  });
});
