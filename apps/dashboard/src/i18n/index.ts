export { type Catalogue, catalogue, useMessages } from './catalogue.ts';
export { common } from './common.ts';
export { LanguageProvider, useLanguage } from './context.tsx';
export * from './dates.ts';
export { type Formats, formatsOf, useFormats } from './format.ts';
export { isLanguage, LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, type Language, preferredLanguage } from './language.ts';
export * from './numbers.ts';
