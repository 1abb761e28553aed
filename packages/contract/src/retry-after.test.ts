import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const noon = Date.parse('2026-11-30T12:00:00Z');

it.each([
  ['7', 7_000],
  [' 0 ', 0],
  ['Mon, 30 Nov 2026 12:00:05 GMT', 5_000],
  ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (header, milliseconds) => {
  expect(retryAfterMs(header, () => noon)).toBe(milliseconds);
});
