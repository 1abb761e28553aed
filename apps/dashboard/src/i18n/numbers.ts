import type { Language } from './language.ts';
import { UNITS, type Units } from './units.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What stands where a number is not known. */
export const UNKNOWN = '–';

/** A figure and its unit apart, for a tile that sets the unit smaller: `{figure: '9.4', unit: 's'}`. */
export interface Measure {
  readonly figure: string;
  readonly unit: string;
}

/** Digits in groups of three, `18,462`. A fraction keeps one decimal only below 10. */
export function formatCount(value: number): string {
  const rounded = Math.abs(value) < 10 && !Number.isInteger(value) ? Math.round(value * 10) / 10 : Math.round(value);
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** For axes and the side bar alone: `18.7k`, `212`, `12.4M`. */
export function formatCompact(value: number): string {
  const scale = (divisor: number, letter: string): string => `${String(Math.round((value / divisor) * 10) / 10)}${letter}`;
  if (value >= 999_950) return scale(1_000_000, 'M');
  return value >= 1_000 ? scale(1_000, 'k') : formatCount(value);
}

/** A tile's value: all digits up to 9,999,999, then `12.4M`. */
export function formatFigure(value: number): string {
  return value > 9_999_999 ? formatCompact(value) : formatCount(value);
}

/** `0.7%` of a share from 0 to 1; whole numbers from 10% on. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  return `${String(percent > 0 && percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent))}%`;
}

/** Bytes by thousands: `0 B`, `22 kB`, `4.8 MB`, `612 MB`, `4.7 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
  let value = bytes;
  let index = 0;
  while (value >= 999.5 && index < units.length - 1) {
    value /= 1_000;
    index += 1;
  }
  const digits = value < 9.95 && index > 1 ? value.toFixed(1) : String(Math.round(value));
  return `${digits} ${units[index] ?? 'B'}`;
}

function pair(
  units: Units,
  [high, low]: [number, number],
  [highUnit, lowUnit]: ['minute' | 'hour' | 'day', 'second' | 'minute' | 'hour'],
  pad: boolean,
): string {
  const lowDigits = pad ? String(low).padStart(2, '0') : String(low);
  if (low === 0 && !pad) return `${high} ${units[highUnit]}`;
  return `${high} ${units[highUnit]} ${lowDigits} ${units[lowUnit]}`;
}

function longDuration(milliseconds: number, units: Units, pad: boolean): string {
  // Rounded to the smaller unit first: 59 min 59.7 s is 1 h, not 59 min 60 s.
  const seconds = Math.round(milliseconds / SECOND);
  if (seconds < 3_600) return pair(units, [Math.floor(seconds / 60), seconds % 60], ['minute', 'second'], pad);
  const minutes = Math.round(milliseconds / MINUTE);
  if (minutes < 24 * 60) return pair(units, [Math.floor(minutes / 60), minutes % 60], ['hour', 'minute'], false);
  const hours = Math.round(milliseconds / HOUR);
  return pair(units, [Math.floor(hours / 24), hours % 24], ['day', 'hour'], false);
}

/** `840 ms`, `9.4 s`, `6 min 40 s`, `6 h 11 min`, `2 d 4 h`. In a column the seconds keep two digits, `6 min 02 s`. */
export function formatDuration(milliseconds: number, language: Language, options: { column?: boolean } = {}): string {
  const units = UNITS[language];
  const value = Math.max(0, milliseconds);
  if (value < 999.5) return `${Math.round(value)} ${units.milliseconds}`;
  if (value < 59_950) return `${(value / SECOND).toFixed(1)} ${units.second}`;
  return longDuration(value, units, options.column === true);
}

/** The same with figure and unit apart where there is one unit; a longer one is all figure. */
export function measureDuration(milliseconds: number, language: Language): Measure {
  const text = formatDuration(milliseconds, language);
  const parts = text.split(' ');
  return parts.length === 2 ? { figure: parts[0] ?? text, unit: parts[1] ?? '' } : { figure: text, unit: '' };
}

/** How long something has been so: tenths under 10 s, whole seconds under a minute, no seconds from 10 minutes on. */
export function formatAge(milliseconds: number, language: Language): string {
  const units = UNITS[language];
  const value = Math.max(0, milliseconds);
  if (value < 9_950) return `${(value / SECOND).toFixed(1)} ${units.second}`;
  if (value < 59_500) return `${Math.round(value / SECOND)} ${units.second}`;
  if (value < 10 * MINUTE) return longDuration(value, units, false);
  return value < HOUR ? `${Math.floor(value / MINUTE)} ${units.minute}` : longDuration(value, units, false);
}

/** A duration without tenths: `14 s`, `4 min 12 s`, `6 h 11 min`. */
export function formatWhole(milliseconds: number, language: Language): string {
  const value = Math.max(0, milliseconds);
  return value < 59_500 ? `${Math.round(value / SECOND)} ${UNITS[language].second}` : longDuration(value, UNITS[language], false);
}

/** A tick of a time axis: one unit only, whole where it can be: `0 s`, `5 min`, `20 s`. */
export function formatAxisDuration(milliseconds: number, language: Language): string {
  const units = UNITS[language];
  const short = (value: number, unit: string): string => `${String(Math.round(value * 10) / 10)} ${unit}`;
  if (milliseconds === 0) return `0 ${units.second}`;
  if (milliseconds < SECOND) return short(milliseconds, units.milliseconds);
  if (milliseconds < MINUTE) return short(milliseconds / SECOND, units.second);
  return milliseconds < HOUR ? short(milliseconds / MINUTE, units.minute) : short(milliseconds / HOUR, units.hour);
}

/** `1st`, `4,063rd`; in Chinese `第 4,063`. */
export function formatOrdinal(place: number, language: Language): string {
  return UNITS[language].ordinal(place, formatCount(place));
}

export const DAY_MS = DAY;
