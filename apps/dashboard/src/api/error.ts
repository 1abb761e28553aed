/** Codes the browser adds to the catalogue's: the server did not answer, or answered what the contract does not say. */
export type LocalErrorCode = 'unreachable' | 'unexpected_answer';

/**
 * A refusal or a failure of a call.
 * `title` says what it means, `detail` what happened to this call, `remedy` what to do; `status` is 0 when nothing answered.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
  readonly status: number;
  /** Seconds to wait, where the server said so. */
  readonly retryAfter: number | undefined;
  /** The whole answer, for calls whose refusals carry more than the problem. */
  readonly body: unknown;

  constructor(facts: {
    code: string;
    title: string;
    detail: string;
    remedy: string;
    status: number;
    retryAfter?: number | undefined;
    body?: unknown;
  }) {
    super(facts.detail === '' ? facts.title : facts.detail);
    this.code = facts.code;
    this.title = facts.title;
    this.detail = facts.detail;
    this.remedy = facts.remedy;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.body = facts.body;
  }
}

export function unreachable(cause: unknown): ApiError {
  return new ApiError({
    code: 'unreachable' satisfies LocalErrorCode,
    title: 'The server did not answer',
    detail: cause instanceof Error ? cause.message : '',
    remedy: 'Check that Galley runs and that this machine reaches it.',
    status: 0,
  });
}

export function unexpectedAnswer(status: number, detail: string): ApiError {
  return new ApiError({
    code: 'unexpected_answer' satisfies LocalErrorCode,
    title: 'The server answered what this page does not understand',
    detail,
    remedy: 'Reload the page: it may be older than the server.',
    status,
  });
}

/** Any thrown value as an ApiError, so that a page has one kind of failure to show. An abort stays an abort for `isAbort`. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : unreachable(error);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** How long after a failure that passes by itself (Redis away, the server starting) a read is tried again. */
export const PASSING_RETRY_MS = 2_000;

/** Whether the failure says nothing of what was asked for, so that asking again is right. */
export function isPassing(error: ApiError | undefined): boolean {
  return error !== undefined && (error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504);
}
