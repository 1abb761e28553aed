import { expect, test } from 'vitest';
import { collapse, likeliest } from './ctc.ts';

const DICTIONARY = ['', 'a', 'b', ' '];

test('neighbouring equal classes are one character, a pause parts two', () => {
  const steps = { classes: Int32Array.from([0, 1, 1, 0, 1, 2, 0]), confidences: Float32Array.from([1, 0.5, 0.75, 1, 1, 0.25, 1]) };
  expect(collapse(steps, DICTIONARY)).toEqual([
    { text: 'a', confidence: 0.75, step: 2 },
    { text: 'a', confidence: 1, step: 4.5 },
    { text: 'b', confidence: 0.25, step: 5.5 },
  ]);
});

test('the likeliest class of each step', () => {
  const { classes, confidences } = likeliest(Float32Array.from([0.5, 0.25, 0.25, 0, 0, 0.125, 0.75, 0.125]), 2, 4);
  expect([...classes]).toEqual([0, 2]);
  expect([...confidences]).toEqual([0.5, 0.75]);
});
