import { GalleyError } from '@galley/contract';

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** What a record's packed fields, Redis's expiry and a Node timer can hold. */
export const SUBMIT_LIMITS = {
  delayMs: { least: 0, most: 10 * 365 * 86_400_000 },
  maxRetries: { least: 0, most: 65_535 },
  crashBudget: { least: 1, most: 255 },
  timeoutMs: { least: 1, most: 2 ** 31 - 1 },
  resultMs: { least: 1, most: 10 * 365 * 86_400_000 },
} as const satisfies Record<string, Range>;

export type LimitedOption = keyof typeof SUBMIT_LIMITS;

/** Most characters of a task's type. */
const TYPE_MOST = 128;
/** Most bytes of a tag, a concurrency key or the name of a fair user: they become parts of Redis keys. */
const NAME_BYTES = 512;

/** Throws `invalid_request` for what is no whole number of the range. */
export function checkWhole(name: string, value: unknown, { least, most }: Range): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw new GalleyError('invalid_request', `${name} ${String(value)} is not a whole number from ${least} to ${most}`);
}

/** Throws `invalid_request` for a value that no script could store: inside a batch it would take its neighbours down. */
export function checkNumbers(options: { readonly [Name in LimitedOption]?: number | undefined }): void {
  for (const name of Object.keys(SUBMIT_LIMITS) as LimitedOption[]) {
    if (options[name] !== undefined) checkWhole(name, options[name], SUBMIT_LIMITS[name]);
  }
}

/** Throws `invalid_request` for what is no text, or has half a surrogate pair, which Redis's JSON reader refuses. */
function checkText(name: string, text: unknown): asserts text is string {
  if (typeof text !== 'string') throw new GalleyError('invalid_request', `the ${name} is no text but ${describe(text)}`);
  if (/\p{Surrogate}/u.test(text))
    throw new GalleyError('invalid_request', `the ${name} is not well-formed text: it holds half a character`);
}

/** Throws `invalid_request` for what cannot be a tag, a concurrency key or a fair user. */
export function checkName(name: string, text: unknown): asserts text is string {
  checkText(name, text);
  if (Buffer.byteLength(text) > NAME_BYTES) throw new GalleyError('invalid_request', `the ${name} is over ${NAME_BYTES} bytes`);
}

/** Throws `invalid_request` for what cannot be the type of a task. */
export function checkType(type: unknown): asserts type is string {
  checkText('task type', type);
  if (type === '' || type.length > TYPE_MOST)
    throw new GalleyError('invalid_request', `a task type has 1 to ${TYPE_MOST} characters, not ${type.length}`);
}

/** Throws `invalid_request` for what cannot be told from other work: callers need not be typed. */
export function checkIdentity(parts: unknown): asserts parts is readonly string[] {
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
    throw new GalleyError('invalid_request', 'an identity is an array of strings');
}

function describe(value: unknown): string {
  return value === null ? 'null' : `of type ${typeof value}`;
}
