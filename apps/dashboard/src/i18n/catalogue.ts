import { useLanguage } from './context.tsx';
import type { Language } from './language.ts';

/** The messages of one area of the page in every language. */
export type Catalogue<Messages> = Readonly<Record<Language, Messages>>;

/**
 * Makes a catalogue. A message is a sentence, a function from its facts to a sentence, or a group of messages.
 * English is the type: a key or a fact that Chinese lacks, or has too many, does not compile.
 * A sentence may mark **strong** words and `code`; `Rich` in ui draws them.
 */
export function catalogue<Messages>(english: Messages, chinese: NoInfer<Messages>): Catalogue<Messages> {
  return { en: english, zh: chinese };
}

/** The messages of a catalogue in the language of the page; changes at once when the language does. */
export function useMessages<Messages>(messages: Catalogue<Messages>): Messages {
  return messages[useLanguage()];
}
