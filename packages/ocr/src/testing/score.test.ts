import { expect, test } from 'vitest';
import { editDistance, normaliseText } from './score.ts';

test('spaces count, but neither how many nor those next to Chinese characters', () => {
  expect(normaliseText(' Two \n sacks\u3000of ﬂour \n 两 袋 面粉 ')).toBe('Two sacks of flour两袋面粉');
});

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['same', 'same', 0],
  ['two sacks', 'twosacks', 1],
])('from %j to %j it is %i', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
});
