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
const MESSAGE_LIMIT = 2_000;
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

function classify(error: object): { class: RetryClass; code: string } {
  const code = field(error, 'code');
  if (error instanceof GalleyError || isErrorCode(code)) {
    const known = String(code);
    return { class: errorEntry(known).retry, code: known };
  }
  const status = field(error, 'status') ?? field(error, 'statusCode');
  if (typeof status === 'number') {
    const byStatus = classOfStatus(status);
    if (byStatus !== null) return byStatus;
  }
  if (typeof code === 'string' && CONNECTION_CODES.has(code)) return { class: 'transient', code: 'upstream_failed' };
  if (code === 'ENOENT' && FILE_CALLS.has(String(field(error, 'syscall')))) return { class: 'permanent', code: 'unknown_error' };
  return { class: 'transient', code: 'unknown_error' };
}

/** By type, code or HTTP status, never by words in a message (DESIGN P7). */
export function failureOf(error: unknown): Failure {
  if (typeof error !== 'object' || error === null) {
    return { class: 'transient', code: 'unknown_error', message: String(error).slice(0, MESSAGE_LIMIT) };
  }
  const message = field(error, 'message');
  const stack = field(error, 'stack');
  const retryAfterMs = field(error, 'retryAfterMs');
  return {
    ...classify(error),
    message: (typeof message === 'string' && message !== '' ? message : 'the handler failed without a message').slice(0, MESSAGE_LIMIT),
    ...(typeof stack === 'string' ? { stack: stack.slice(0, STACK_LIMIT) } : {}),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
  };
}
