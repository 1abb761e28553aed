import { expect, test } from 'vitest';
import { findOvertaken, type LineEvent } from './overtaken.ts';

const priorityOf = (id: string): number => Number(id.split('-')[1]);
const submitted = (...taskIds: string[]): LineEvent => ({ verb: 'submitted', taskIds });
const claimed = (...taskIds: string[]): LineEvent => ({ verb: 'claimed', taskIds });
const alone = (id: string): string => id;

test('claims in order overtake nothing', () => {
  const found = findOvertaken([submitted('a-1', 'b-2'), claimed('a-1'), claimed('b-2')], priorityOf, alone);
  expect(found).toEqual({ claims: 2, overtakingClaims: 0, overtaken: new Map() });
});

test('a claim that leaves a better task in line overtakes it', () => {
  const found = findOvertaken([submitted('a-1', 'b-2'), claimed('b-2'), claimed('a-1')], priorityOf, alone);
  expect(found).toEqual({ claims: 2, overtakingClaims: 1, overtaken: new Map([['a-1', 'b-2']]) });
});

test('the shards of one round trip are one claim', () => {
  const found = findOvertaken([submitted('a-1', 'b-2'), claimed('b-2'), claimed('a-1')], priorityOf, () => 'the same');
  expect(found).toEqual({ claims: 1, overtakingClaims: 0, overtaken: new Map() });
});

test('what arrives after a claim was not overtaken by it', () => {
  const found = findOvertaken([submitted('b-2'), claimed('b-2'), submitted('a-1'), claimed('a-1')], priorityOf, alone);
  expect(found.overtaken.size).toBe(0);
});
