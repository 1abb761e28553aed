import { GalleyError } from '@galley/contract';

/** What a record's packed fields, Redis's expiry and a Node timer can hold. */
const LIMITS = {
  delayMs: { least: 0, most: 10 * 365 * 86_400_000 },
  maxRetries: { least: 0, most: 65_535 },
  crashBudget: { least: 1, most: 255 },
  timeoutMs: { least: 1, most: 2 ** 31 - 1 },
  resultMs: { least: 1, most: 10 * 365 * 86_400_000 },
} as const;

export type LimitedOption = keyof typeof LIMITS;

/** Throws `invalid_request` for a value that no script could store: inside a batch it would take its neighbours down. */
export function checkNumbers(options: { readonly [Name in LimitedOption]?: number | undefined }): void {
  for (const name of Object.keys(LIMITS) as LimitedOption[]) {
    const value = options[name];
    const { least, most } = LIMITS[name];
    if (value !== undefined && (!Number.isInteger(value) || value < least || value > most))
      throw new GalleyError('invalid_request', `${name} ${value} is not a whole number from ${least} to ${most}`);
  }
}

/** Throws `invalid_request` for text with half a surrogate pair, which Redis's JSON reader refuses. */
export function checkText(name: string, text: string): void {
  if (/\p{Surrogate}/u.test(text))
    throw new GalleyError('invalid_request', `the ${name} is not well-formed text: it holds half a character`);
}
