import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideClaims, divideWithin, peekDepth } from './claim-plan.ts';

/** Claims the plan from full lines and answers what was taken and what is left. */
function carryOut(lines: readonly (readonly number[])[], free: number, depth: number, turn: number): { taken: number[]; left: number[] } {
  const rest = lines.map((line) => [...line]);
  const heads = lines.map((line) => line.slice(0, depth));
  const taken: number[] = [];
  for (const { shard, limit, bound } of divideClaims(heads, free, depth, turn)) {
    const line = rest[shard] ?? [];
    for (let count = 0; count < limit && line.length > 0 && (bound === null || (line[0] ?? 0) <= bound); count++)
      taken.push(line.shift() ?? 0);
  }
  return { taken, left: rest.flat() };
}

const lines = fc.array(
  fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 12 }).map((line) => line.sort((a, b) => a - b)),
  {
    minLength: 1,
    maxLength: 8,
  },
);

describe('divideClaims', () => {
  it('never takes a task while a better one is left on any shard, whatever it knows of the lines', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 6 }), fc.nat(20), (all, free, depth, turn) => {
        const { taken, left } = carryOut(all, free, depth, turn);
        const best = Math.min(...left);
        for (const score of taken) expect(score).toBeLessThanOrEqual(best);
        expect(taken.length).toBeLessThanOrEqual(free);
      }),
    );
  });

  it('always gets on: something is taken while anything is there', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 6 }), fc.nat(20), (all, free, depth, turn) => {
        if (all.flat().length > 0) expect(carryOut(all, free, depth, turn).taken.length).toBeGreaterThan(0);
      }),
    );
  });

  it('fills all slots from one line where one priority stands in it', () => {
    expect(divideClaims([[5], [5], [5]], 20, 1, 1)).toEqual([{ shard: 1, limit: 20, bound: 5 }]);
  });

  it('rotates ties', () => {
    expect([0, 1, 2, 3].map((turn) => divideClaims([[5], [5], [5]], 1, 1, turn)[0]?.shard)).toEqual([0, 1, 2, 0]);
  });

  it('takes the n best over shards in one go where lists reach far enough', () => {
    const heads = [
      [1, 4, 7],
      [2, 5, 8],
      [3, 6, 9],
    ];
    expect(carryOut(heads, 5, 4, 0).taken.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  it('asks for nothing from empty lines', () => {
    expect(divideClaims([[], []], 4, 1, 0)).toEqual([]);
    expect(divideClaims([[1]], 0, 1, 0)).toEqual([]);
  });
});

describe('peekDepth', () => {
  it('reads one score a shard where one line filled everything, and enough for all slots where several had to', () => {
    expect(peekDepth(8, 50, [{ shard: 0, limit: 50, bound: 5 }])).toBe(1);
    expect(peekDepth(8, 50, [{ shard: 0, limit: 3, bound: 5 }])).toBe(9);
  });
});

describe('a claim within what queues with a rate allow', () => {
  // Shards 0 and 1 are of a queue with a rate, 2 and 3 of one without.
  const groupOf = (shard: number): string => (shard < 2 ? 'rated' : 'free');
  const heads = [
    [1, 3],
    [2, 4],
    [5, 6],
    [1, 9],
  ];

  it('takes the best of the queue, as many as it may start, and fills the slots from the others', () => {
    const shares = divideWithin(heads, { groupOf, allowed: new Map([['rated', 2]]) }, 5, 3, 0);
    expect(shares).toEqual([
      { shard: 0, limit: 1, bound: 2 },
      { shard: 3, limit: 1, bound: 6 },
      { shard: 1, limit: 1, bound: 2 },
      { shard: 2, limit: 2, bound: 6 },
    ]);
  });

  it('never takes more than is allowed, where one score fills full lists too', () => {
    const ties = [[7, 7], [7, 7], [], []];
    for (let turn = 0; turn < 4; turn++) {
      const shares = divideWithin(ties, { groupOf, allowed: new Map([['rated', 3]]) }, 50, 2, turn);
      expect(shares.reduce((sum, share) => sum + share.limit, 0)).toBe(3);
    }
    expect(divideWithin(ties, { groupOf, allowed: new Map([['rated', 0]]) }, 50, 2, 0)).toEqual([]);
  });
});
