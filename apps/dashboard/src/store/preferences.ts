import { isLanguage, type Language, preferredLanguage } from '../i18n/language.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What a person chose and this browser remembers. */
export interface Preferences {
  readonly theme: Theme;
  readonly language: Language;
  /** Single-key shortcuts; a person who speaks to the computer may need them off (WCAG 2.1.4). */
  readonly singleKeys: boolean;
  /** Width of the reader's text pane in px. */
  readonly readerTextWidth: number;
}

/** public/theme.js reads the same key before the first paint. */
export const PREFERENCES_KEY = 'galley.preferences';

const READER_WIDTHS = { least: 360, first: 500, most: 720 } as const;

function isTheme(value: unknown): value is Theme {
  return THEMES.some((theme) => theme === value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Preferences out of storage, field by field: what is missing or strange takes its default. */
export function parsePreferences(text: string | null, browserLanguages: readonly string[]): Preferences {
  let saved: unknown;
  try {
    saved = JSON.parse(text ?? '{}');
  } catch {
    saved = {};
  }
  const fields = isRecord(saved) ? saved : {};
  const width = typeof fields.readerTextWidth === 'number' ? fields.readerTextWidth : READER_WIDTHS.first;
  return {
    theme: isTheme(fields.theme) ? fields.theme : 'system',
    language: isLanguage(fields.language) ? fields.language : preferredLanguage(browserLanguages),
    singleKeys: fields.singleKeys !== false,
    readerTextWidth: Math.min(READER_WIDTHS.most, Math.max(READER_WIDTHS.least, width)),
  };
}

export function readPreferences(): Preferences {
  try {
    return parsePreferences(localStorage.getItem(PREFERENCES_KEY), navigator.languages);
  } catch {
    // Storage is closed to this page (private mode of some browsers): the defaults serve.
    return parsePreferences(null, navigator.languages);
  }
}

export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(PREFERENCES_KEY, JSON.stringify(preferences));
  } catch {
    // The choice then lasts as long as the page.
  }
}
