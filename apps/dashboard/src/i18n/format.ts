import { useMemo } from 'react';
import { useLanguage } from './context.tsx';
import { formatDate, formatMoment, formatRelative } from './dates.ts';
import type { Language } from './language.ts';
import { formatAge, formatAxisDuration, formatDuration, formatOrdinal, formatWhole, type Measure, measureDuration } from './numbers.ts';

/** The formats that differ by language, bound to one. Those that do not are plain functions of numbers.ts and dates.ts. */
export interface Formats {
  readonly duration: (milliseconds: number) => string;
  readonly durationColumn: (milliseconds: number) => string;
  readonly durationAxis: (milliseconds: number) => string;
  readonly measure: (milliseconds: number) => Measure;
  readonly age: (milliseconds: number) => string;
  /** Whole seconds and no smaller: `14 s`, `2 min 3 s`. */
  readonly whole: (milliseconds: number) => string;
  readonly relative: (at: number, now: number) => string;
  readonly date: (at: number) => string;
  readonly moment: (at: number, now: number) => string;
  readonly ordinal: (place: number) => string;
}

export function formatsOf(language: Language): Formats {
  return {
    duration: (milliseconds) => formatDuration(milliseconds, language),
    durationColumn: (milliseconds) => formatDuration(milliseconds, language, { column: true }),
    durationAxis: (milliseconds) => formatAxisDuration(milliseconds, language),
    measure: (milliseconds) => measureDuration(milliseconds, language),
    age: (milliseconds) => formatAge(milliseconds, language),
    whole: (milliseconds) => formatWhole(milliseconds, language),
    relative: (at, now) => formatRelative(at, now, language),
    date: (at) => formatDate(at, language),
    moment: (at, now) => formatMoment(at, now, language),
    ordinal: (place) => formatOrdinal(place, language),
  };
}

export function useFormats(): Formats {
  const language = useLanguage();
  return useMemo(() => formatsOf(language), [language]);
}
