import type { Language } from './language.ts';

/** The words of numbers. Latin units stand after a narrow gap of one space; Chinese spaces them from digits too (design §2.4). */
export interface Units {
  readonly milliseconds: string;
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly ago: (age: string) => string;
  readonly ahead: (wait: string) => string;
  readonly date: (day: number, month: number, time: string) => string;
  readonly ordinal: (place: number, digits: string) => string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function englishOrdinal(place: number, digits: string): string {
  const tens = place % 100;
  if (tens >= 11 && tens <= 13) return `${digits}th`;
  const last = place % 10;
  if (last === 1) return `${digits}st`;
  if (last === 2) return `${digits}nd`;
  return last === 3 ? `${digits}rd` : `${digits}th`;
}

export const UNITS: Readonly<Record<Language, Units>> = {
  en: {
    milliseconds: 'ms',
    second: 's',
    minute: 'min',
    hour: 'h',
    day: 'd',
    ago: (age) => `${age} ago`,
    ahead: (wait) => `in ${wait}`,
    date: (day, month, time) => `${day} ${MONTHS[month] ?? ''} ${time}`,
    ordinal: englishOrdinal,
  },
  zh: {
    milliseconds: '毫秒',
    second: '秒',
    minute: '分',
    hour: '时',
    day: '天',
    ago: (age) => `${age}前`,
    ahead: (wait) => `${wait}后`,
    date: (day, month, time) => `${month + 1}月${day}日 ${time}`,
    ordinal: (_, digits) => `第 ${digits}`,
  },
};
