import { expect, test } from 'vitest';
import { collapse } from './ctc.ts';

const DICTIONARY = ['', 'a', 'b', ' '];

test('neighbouring equal classes are one character, a pause parts two', () => {
  const steps = { classes: Int32Array.from([0, 1, 1, 0, 1, 2, 0]), confidences: Float32Array.from([1, 0.5, 0.75, 1, 1, 0.25, 1]) };
  expect(collapse(steps, DICTIONARY)).toEqual([
    { text: 'a', confidence: 0.75, step: 2 },
    { text: 'a', confidence: 1, step: 4.5 },
    { text: 'b', confidence: 0.25, step: 5.5 },
  ]);
});
