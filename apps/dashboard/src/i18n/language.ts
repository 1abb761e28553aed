/** The languages of the dashboard. `en` is the type that every other catalogue has to fill. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_TAGS = { en: 'en', zh: 'zh-CN' } as const satisfies Record<Language, string>;
export const LANGUAGE_NAMES = { en: 'English', zh: '简体中文' } as const satisfies Record<Language, string>;

export function isLanguage(value: unknown): value is Language {
  return value === 'en' || value === 'zh';
}

/** The language a browser asks for, by its list of tags; English where it asks for neither. */
export function preferredLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    if (/^zh\b/i.test(tag)) return 'zh';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}
