import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatAxisDuration,
  formatBytes,
  formatCompact,
  formatCount,
  formatDuration,
  formatFigure,
  formatOrdinal,
  formatPercent,
  formatWhole,
  measureDuration,
} from './numbers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('counts', () => {
  it('groups digits by three and keeps a tenth below ten only', () => {
    expect([0, 3.14, 412, 18_462, 9_999_999].map(formatCount)).toEqual(['0', '3.1', '412', '18,462', '9,999,999']);
  });
  it('is short on axes and in the side bar', () => {
    expect([0, 212, 5_000, 18_672, 999_949, 999_950, 12_400_000].map(formatCompact)).toEqual([
      '0',
      '212',
      '5k',
      '18.7k',
      '999.9k',
      '1M',
      '12.4M',
    ]);
  });
  it('cuts a figure only past 9,999,999', () => {
    expect([9_999_999, 10_000_000, 12_431_000].map(formatFigure)).toEqual(['9,999,999', '10M', '12.4M']);
  });
  it('says shares with a tenth below ten percent', () => {
    expect([0, 0.007, 0.0994, 0.5, 1].map(formatPercent)).toEqual(['0%', '0.7%', '9.9%', '50%', '100%']);
  });
  it('says sizes by thousands', () => {
    expect([0, 22_400, 999_600, 4_800_000, 9_960_000, 612_000_000, 4_700_000_000].map(formatBytes)).toEqual([
      '0 B',
      '22 kB',
      '1.0 MB',
      '4.8 MB',
      '10 MB',
      '612 MB',
      '4.7 GB',
    ]);
  });
  it('says places in line', () => {
    expect([1, 2, 3, 11, 112, 219, 4_063].map((place) => formatOrdinal(place, 'en'))).toEqual([
      '1st',
      '2nd',
      '3rd',
      '11th',
      '112th',
      '219th',
      '4,063rd',
    ]);
    expect(formatOrdinal(4_063, 'zh')).toBe('第 4,063');
  });
});

describe('durations', () => {
  const all = [840, 9_400, 59_960, 6 * MINUTE + 40_000, 6 * HOUR + 11 * MINUTE, 52 * HOUR];
  it('says them in English', () => {
    expect(all.map((value) => formatDuration(value, 'en'))).toEqual(['840 ms', '9.4 s', '1 min', '6 min 40 s', '6 h 11 min', '2 d 4 h']);
  });
  it('says them in Chinese, with a space before each unit', () => {
    expect(all.map((value) => formatDuration(value, 'zh'))).toEqual([
      '840 毫秒',
      '9.4 秒',
      '1 分',
      '6 分 40 秒',
      '6 时 11 分',
      '2 天 4 时',
    ]);
  });
  it('keeps seconds two digits wide in a column', () => {
    expect(formatDuration(38 * MINUTE + 2_000, 'en', { column: true })).toBe('38 min 02 s');
  });
  it('never says 60 of a smaller unit', () => {
    expect(formatDuration(HOUR - 200, 'en')).toBe('1 h');
    expect(formatDuration(24 * HOUR - 1_000, 'en')).toBe('1 d');
  });
  it('parts figure and unit where there is one unit', () => {
    expect(measureDuration(9_400, 'en')).toEqual({ figure: '9.4', unit: 's' });
    expect(measureDuration(400_000, 'en')).toEqual({ figure: '6 min 40 s', unit: '' });
  });
  it('says ages coarser as they grow', () => {
    expect([600, 41_400, 123_000, 38.9 * MINUTE, 6.2 * HOUR].map((value) => formatAge(value, 'en'))).toEqual([
      '0.6 s',
      '41 s',
      '2 min 3 s',
      '38 min',
      '6 h 12 min',
    ]);
  });
  it('says whole seconds for a pill', () => {
    expect([14_200, 252_000].map((value) => formatWhole(value, 'en'))).toEqual(['14 s', '4 min 12 s']);
  });
  it('says one unit on an axis', () => {
    expect([0, 500, 10_000, 5 * MINUTE, 2 * HOUR].map((value) => formatAxisDuration(value, 'en'))).toEqual([
      '0 s',
      '500 ms',
      '10 s',
      '5 min',
      '2 h',
    ]);
  });
});
