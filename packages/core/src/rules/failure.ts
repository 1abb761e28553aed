import { errorEntry, GalleyError, isErrorCode, type RetryClass } from '@galley/contract';

/** How a run ended in an error, ready to be reported. */
export interface Failure {
  readonly class: RetryClass | 'crash';
  readonly code: string;
  readonly message: string;
  readonly stack?: string;
  /** The least wait that the other side asked for, in milliseconds. */
  readonly retryAfterMs?: number;
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ECONNABORTED',
]);
/** System calls that name a file; ENOENT of others means a socket or a program, which may come. */
const FILE_CALLS = new Set(['open', 'stat', 'lstat', 'access', 'scandir', 'opendir', 'readlink', 'copyfile', 'rename', 'unlink']);
const PERMANENT_STATUS = new Set([400, 401, 403, 404, 410, 422]);
const CODE = /^[\w.:-]{1,64}$/;
const MESSAGE_LIMIT = 2_000;
/** How many causes behind an error are looked at. */
const CAUSES = 5;
const STACK_LIMIT = 8_000;

function field(error: object, name: string): unknown {
  try {
    return name in error ? (error as Record<string, unknown>)[name] : undefined;
  } catch {
    // A getter of somebody's own error: what it will not say is unknown.
    return undefined;
  }
}

/** HTTP statuses of other people's errors: 429 defers, 408 and 5xx are transient, the rest of 4xx named in P7 permanent. */
function classOfStatus(status: number): { class: RetryClass; code: string } | null {
  if (status === 429) return { class: 'deferred', code: 'upstream_rate_limited' };
  if (status === 408 || status >= 500) return { class: 'transient', code: 'upstream_failed' };
  if (PERMANENT_STATUS.has(status)) return { class: 'permanent', code: 'upstream_rejected' };
  return null;
}

function isOurs(error: object): boolean {
  try {
    return error instanceof GalleyError;
  } catch {
    // A proxy of somebody's own.
    return false;
  }
}

/** The class that an error's own type, code or status gives it; null where none of them says. */
function ownClass(error: object): { class: RetryClass; code: string } | null {
  const code = field(error, 'code');
  // Dead letters are filed under it, so a code of a handler's own must be a word.
  if (isErrorCode(code) || (typeof code === 'string' && CODE.test(code) && isOurs(error))) return { class: errorEntry(code).retry, code };
  const status = field(error, 'status') ?? field(error, 'statusCode');
  if (typeof status === 'number') {
    const byStatus = classOfStatus(status);
    if (byStatus !== null) return byStatus;
  }
  if (typeof code === 'string' && CONNECTION_CODES.has(code)) return { class: 'transient', code: 'upstream_failed' };
  if (code === 'ENOENT' && FILE_CALLS.has(String(field(error, 'syscall')))) return { class: 'permanent', code: 'unknown_error' };
  return null;
}

/** An error and what caused it, as far as that is known: `fetch` and others say why only there. */
function withCauses(error: object): object[] {
  const chain: object[] = [error];
  for (let cause = field(error, 'cause'); typeof cause === 'object' && cause !== null; cause = field(cause, 'cause')) {
    if (chain.length > CAUSES || chain.includes(cause)) break;
    chain.push(cause);
  }
  return chain;
}

function classify(chain: readonly object[]): { class: RetryClass; code: string } {
  for (const error of chain) {
    const known = ownClass(error);
    if (known !== null) return known;
  }
  return { class: 'transient', code: 'unknown_error' };
}

/** The stacks of an error and its causes, one after the other. */
function stackOf(chain: readonly object[]): string | null {
  const stacks = chain.map((error) => field(error, 'stack')).filter((stack) => typeof stack === 'string');
  const bounded = stacks.map((stack) => stack.slice(0, STACK_LIMIT));
  return bounded.length === 0 ? null : bounded.join('\nCaused by: ').slice(0, STACK_LIMIT);
}

/** By type, code or HTTP status, its own or else its cause's, never by words in a message (DESIGN P7). */
export function failureOf(error: unknown): Failure {
  if (typeof error !== 'object' || error === null) {
    return { class: 'transient', code: 'unknown_error', message: String(error).slice(0, MESSAGE_LIMIT) };
  }
  const message = field(error, 'message');
  const chain = withCauses(error);
  const stack = stackOf(chain);
  const retryAfterMs = field(error, 'retryAfterMs');
  return {
    ...classify(chain),
    message: (typeof message === 'string' && message !== '' ? message : 'the handler failed without a message').slice(0, MESSAGE_LIMIT),
    ...(stack === null ? {} : { stack }),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
  };
}
