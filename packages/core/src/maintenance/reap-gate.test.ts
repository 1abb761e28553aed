import { describe, expect, it } from 'vitest';
import { ReapGate } from './reap-gate.ts';

function gateAt(periodMs = 1_000, renewalMs = 10_000): { gate: ReapGate; at(ms: number): ReturnType<ReapGate['open']> } {
  let time = 0;
  const gate = new ReapGate({ now: () => time, monotonic: () => time }, periodMs, renewalMs);
  return {
    gate,
    at: (ms) => {
      time = ms;
      return gate.open();
    },
  };
}

/** One that has been running for a while; its time begins at 0. */
function begunGate(): ReturnType<typeof gateAt> {
  const begun = gateAt();
  const ageMs = 20_000;
  for (let ms = 0; ms <= ageMs; ms += 1_000) begun.at(ms);
  return { ...begun, at: (ms) => begun.at(ageMs + ms) };
}

describe('the reaper’s gate', () => {
  it('is open while passes follow each other', () => {
    const { at } = begunGate();
    expect([at(1_000), at(2_000), at(3_900), at(5_900)]).toEqual(['count', 'count', 'count', 'count']);
  });

  it('holds for a renewal interval when it begins, for it may be the first moment after an outage, and forgives nothing then', () => {
    const { at } = gateAt();
    for (let ms = 20; ms < 10_020; ms += 1_000) expect(at(ms)).toBe('hold');
    expect(at(10_021)).toBe('count');
  });

  it('forgives what ran out in an outage that it began in', () => {
    const { at } = gateAt();
    expect(at(30_000)).toBe('hold');
    for (let ms = 31_000; ms < 40_000; ms += 1_000) expect(at(ms)).toBe('hold');
    expect(at(40_001)).toBe('forgive');
  });

  it('holds for a renewal interval after a gap of over two periods, then forgives what ran out in it, then counts', () => {
    const { at } = begunGate();
    at(1_000);
    expect(at(3_001)).toBe('hold');
    for (let ms = 4_001; ms < 13_001; ms += 1_000) expect(at(ms)).toBe('hold');
    expect(at(13_010)).toBe('forgive');
    expect(at(15_010)).toBe('count');
  });

  it('has at least one forgiving pass, however late passes come', () => {
    for (const delay of [0, 1, 400, 900]) {
      const { at } = gateAt();
      let verdict = at(60_000);
      const seen = [verdict];
      for (let ms = 61_000 + delay; verdict !== 'count'; ms += 1_000 + delay) seen.push((verdict = at(ms)));
      expect(seen).toContain('forgive');
      expect(seen[0]).toBe('hold');
    }
  });

  it('lets passes through though every one of them is late, and counts none of them', () => {
    const { at } = gateAt();
    const seen = Array.from({ length: 40 }, (_, pass) => at((pass + 1) * 3_000));
    expect(seen.filter((verdict) => verdict === 'forgive').length).toBeGreaterThanOrEqual(7);
    expect(seen).not.toContain('count');
  });

  it('holds again after a gap as long as a renewal interval, though a pass is owed', () => {
    const { at } = gateAt();
    expect(at(60_000)).toBe('hold');
    expect(at(75_000)).toBe('hold');
  });

  it('begins anew when another gap follows', () => {
    const { at } = gateAt();
    expect(at(60_000)).toBe('hold');
    expect(at(120_000)).toBe('hold');
    expect(at(121_000)).toBe('hold');
  });
});
