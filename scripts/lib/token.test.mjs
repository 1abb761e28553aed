import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeToken } from './token.mjs';

it('makes a token that only its hash is kept of', () => {
  const first = makeToken({ user: 'press.room', role: 'admin' });
  expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(first.line).toBe(`${createHash('sha256').update(first.token).digest('hex')} press.room admin`);
  expect(makeToken({ user: 'press.room', role: 'admin' }).token).not.toBe(first.token);
});

it.each([
  ['two words', 'admin'],
  ['a#b', 'admin'],
  ['', 'admin'],
  ['press', 'root'],
])('refuses user "%s" with role %s', (user, role) => {
  expect(() => makeToken({ user, role })).toThrow(/will not do|is none/);
});
