import { expect, it } from 'vitest';
import { identityOf } from './identity.ts';

it('is the same for the same parts, and other for any other, however they are cut', () => {
  expect(identityOf(['a', 'b'])).toBe(identityOf(['a', 'b']));
  const others = [['ab'], ['a', 'b', ''], ['', 'a', 'b'], ['b', 'a'], ['a', 'b '], ['1:a', 'b'], ['a1:b'], ['a', '1:b'], []];
  expect(new Set([['a', 'b'], ...others].map((parts) => identityOf(parts))).size).toBe(others.length + 1);
});

it('counts bytes, so that characters cannot run over', () => {
  expect(identityOf(['é', 'a'])).not.toBe(identityOf(['éa', '']));
});

it('is SHA-256 in base64url', () => {
  expect(identityOf(['x'])).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

it('is other under each concurrency key, and other than without one', () => {
  const all = [identityOf(['a']), identityOf(['a'], 'k'), identityOf(['a'], 'l'), identityOf(['a', 'k']), identityOf(['a'], '')];
  expect(new Set(all).size).toBe(all.length);
  expect(identityOf(['a'], 'k')).toBe(identityOf(['a'], 'k'));
});
