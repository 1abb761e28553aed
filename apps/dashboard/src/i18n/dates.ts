import type { Language } from './language.ts';
import { DAY_MS, formatAge } from './numbers.ts';
import { UNITS } from './units.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** Local time of day, `14:32`. `at` in milliseconds since 1970. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Local time with seconds, `14:31:54`. */
export function formatTime(at: number): string {
  return `${formatClock(at)}:${two(new Date(at).getSeconds())}`;
}

/** Local time with milliseconds, `14:31:54.123`, for a timeline. */
export function formatTimeExact(at: number): string {
  return `${formatTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`;
}

/** `30 Nov 14:32`, `11月30日 14:32`. */
export function formatDate(at: number, language: Language): string {
  const date = new Date(at);
  return UNITS[language].date(date.getDate(), date.getMonth(), formatClock(at));
}

/** The exact time for a tooltip, `2026-11-30 14:31:54.123 UTC`. */
export function formatUtc(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/** `0.6 s ago`, `in 2.0 s`, and from a day on the date. `now` is the server's time. */
export function formatRelative(at: number, now: number, language: Language): string {
  const age = now - at;
  if (Math.abs(age) >= DAY_MS) return formatDate(at, language);
  return age >= 0 ? UNITS[language].ago(formatAge(age, language)) : UNITS[language].ahead(formatAge(-age, language));
}

/** `at 15:00` wants the time alone on the same day, else the date too. */
export function formatMoment(at: number, now: number, language: Language): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? formatClock(at) : formatDate(at, language);
}
