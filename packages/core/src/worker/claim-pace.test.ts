import { describe, expect, it } from 'vitest';
import { ClaimPace } from './claim-pace.ts';

const SLOTS = 20;

/** A worker whose queue is never empty: claims of `claimMs` one after the other, every task taking `runMs`. Sizes of its claims. */
function simulate(claimMs: number, runMs: number, forMs: number): number[] {
  let time = 0;
  const pace = new ClaimPace({ now: () => time, monotonic: () => time }, SLOTS);
  let ends: number[] = [];
  const claims: number[] = [];
  const until = (then: number): void => {
    for (const end of ends.filter((at) => at <= then).sort((a, b) => a - b)) {
      time = Math.max(time, end);
      pace.ended();
    }
    ends = ends.filter((at) => at > then);
    time = then;
  };
  while (time < forMs) {
    const free = SLOTS - ends.length;
    if (free === 0) {
      until(Math.min(...ends));
      continue;
    }
    const count = pace.limit(free);
    until(time + claimMs);
    pace.claimed(claimMs, count);
    for (let task = 0; task < count; task++) {
      pace.began();
      ends.push(time + runMs);
    }
    claims.push(count);
  }
  return claims;
}

describe('the pace of claims', () => {
  it('fills an idle worker at once, and spreads slots that were filled together', () => {
    const [first, ...others] = simulate(1, 20, 1_000);
    expect(first).toBe(SLOTS);
    expect(Math.max(...others.slice(-100))).toBeLessThanOrEqual(SLOTS / 10);
  });

  it('leaves no slot idle for it: what is claimed keeps up with what ends', () => {
    const total = simulate(1, 20, 2_000).reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(0.9 * ((SLOTS * 2_000) / 21));
  });

  it('takes all that is free where tasks are over sooner than a claim', () => {
    expect(new Set(simulate(1, 0.5, 200))).toEqual(new Set([SLOTS]));
  });

  it('fills free slots in at most ten claims, however long tasks take', () => {
    const claims = simulate(0.001, 60_000, 200_000);
    expect(claims[0]).toBe(SLOTS);
    expect(Math.min(...claims)).toBe(SLOTS / 10);
  });

  it('fills a worker at once again that had nothing to do', () => {
    let time = 0;
    const pace = new ClaimPace({ now: () => time, monotonic: () => time }, SLOTS);
    pace.claimed(1, 1);
    pace.began();
    time = 5_000;
    pace.ended();
    expect(pace.limit(SLOTS)).toBe(SLOTS / 10);
    pace.claimed(1, 0);
    expect(pace.limit(SLOTS)).toBe(SLOTS);
  });
});
