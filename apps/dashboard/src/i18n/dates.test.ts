import { describe, expect, it } from 'vitest';
import { formatClock, formatDate, formatMoment, formatRelative, formatTime, formatTimeExact, formatUtc } from './dates.ts';

const at = new Date(2026, 10, 30, 14, 31, 54, 123).getTime();

describe('dates', () => {
  it('says local times at three grains', () => {
    expect([formatClock(at), formatTime(at), formatTimeExact(at)]).toEqual(['14:31', '14:31:54', '14:31:54.123']);
  });
  it('says dates by language', () => {
    expect([formatDate(at, 'en'), formatDate(at, 'zh')]).toEqual(['30 Nov 14:31', '11月30日 14:31']);
  });
  it('says the exact time in UTC', () => {
    expect(formatUtc(Date.parse('2026-11-30T14:31:54.123Z'))).toBe('2026-11-30 14:31:54.123 UTC');
  });
  it('is relative under a day and a date from then on', () => {
    expect(formatRelative(at, at + 600, 'en')).toBe('0.6 s ago');
    expect(formatRelative(at, at + 600, 'zh')).toBe('0.6 秒前');
    expect(formatRelative(at, at - 2_000, 'en')).toBe('in 2.0 s');
    expect(formatRelative(at, at + 86_400_000, 'en')).toBe('30 Nov 14:31');
  });
  it('leaves the date out on the same day', () => {
    expect(formatMoment(at, at - 3_600_000, 'en')).toBe('14:31');
    expect(formatMoment(at, at - 86_400_000, 'en')).toBe('30 Nov 14:31');
  });
});
