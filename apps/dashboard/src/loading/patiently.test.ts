import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { patiently } from './patiently.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('fetches again what could not be had, until it comes', async () => {
  let calls = 0;
  const load = patiently(async () => {
    if (++calls < 4) throw new TypeError('Failed to fetch');
    return 'the part';
  });
  const part = load();
  await vi.runAllTimersAsync();
  expect(await part).toBe('the part');
  expect(calls).toBe(4);
});

it('gives up in the end, and says why', async () => {
  const load = patiently(() => Promise.reject(new TypeError('Failed to fetch')));
  const part = load().catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await part).toEqual(new TypeError('Failed to fetch'));
});
