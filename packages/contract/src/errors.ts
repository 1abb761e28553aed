/**
 * Every error code that Galley can answer with or write on a task.
 *
 * `status`: the HTTP status when a request is answered with it (`null`: it is only ever written on a task).
 * `retry`: what a run that ended with it does next (DESIGN P7).
 *   - `transient`: waits `base × 2^n` with full jitter and spends a retry
 *   - `deferred`: waits without spending a retry, within a total bound
 *   - `permanent`: becomes a dead letter at once
 * `revivable`: whether a person who presses Retry can hope for another outcome.
 */
export interface ErrorEntry {
  readonly status: number | null;
  readonly retry: RetryClass;
  readonly revivable: boolean;
  readonly title: string;
  readonly remedy: string;
}

export type RetryClass = 'transient' | 'deferred' | 'permanent';

export const ERROR_CATALOGUE = {
  // requests
  invalid_request: {
    status: 400,
    retry: 'permanent',
    revivable: false,
    title: 'The request is not valid',
    remedy: 'Correct the fields that the detail names and send it again.',
  },
  unauthorized: {
    status: 401,
    retry: 'permanent',
    revivable: false,
    title: 'A token is needed',
    remedy: 'Send "Authorization: Bearer <token>", or log in at /api/v1/session.',
  },
  forbidden: {
    status: 403,
    retry: 'permanent',
    revivable: false,
    title: 'This role may not do that',
    remedy: 'Ask an admin, or use a token with the admin role.',
  },
  host_not_allowed: {
    status: 403,
    retry: 'permanent',
    revivable: false,
    title: 'The Host header is not one of this server',
    remedy: 'Use the address printed at start, or add the name to GALLEY_ALLOWED_HOSTS.',
  },
  origin_not_allowed: {
    status: 403,
    retry: 'permanent',
    revivable: false,
    title: 'The request comes from another site',
    remedy: 'Open the dashboard at its own address; other sites may not call it.',
  },
  not_found: {
    status: 404,
    retry: 'permanent',
    revivable: false,
    title: 'There is nothing at this address',
    remedy: 'See /api/v1/openapi.json for the routes.',
  },
  task_not_found: {
    status: 404,
    retry: 'permanent',
    revivable: false,
    title: 'No task has this id',
    remedy: 'Check the id; a task is forgotten when its retention ends.',
  },
  page_not_found: {
    status: 404,
    retry: 'permanent',
    revivable: false,
    title: 'The document has no such page, or it has not been read yet',
    remedy: 'Ask /pages for the pages there are and their states.',
  },
  queue_not_found: {
    status: 404,
    retry: 'permanent',
    revivable: false,
    title: 'No queue has this name',
    remedy: 'Use a queue that a worker serves, such as ocr.',
  },
  operation_not_found: {
    status: 404,
    retry: 'permanent',
    revivable: false,
    title: 'No operation has this id',
    remedy: 'Operations are kept for a day after they end.',
  },
  method_not_allowed: {
    status: 405,
    retry: 'permanent',
    revivable: false,
    title: 'The address does not take this method',
    remedy: 'See the Allow header.',
  },
  task_cancelled: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: 'The task was cancelled',
    remedy: 'Submit it again if its result is wanted.',
  },
  task_dead_letter: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: 'The task is a dead letter',
    remedy: 'Read its errors; an admin can retry it.',
  },
  task_not_finished: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: 'The task has not finished',
    remedy: 'Wait until its state is completed.',
  },
  invalid_state: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: "The task's state does not allow that",
    remedy: 'Read the task again; it has moved on.',
  },
  identity_taken: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: 'A live task already has the same content and options',
    remedy: 'Use that task, or submit with dedupe=false.',
  },
  idempotency_conflict: {
    status: 422,
    retry: 'permanent',
    revivable: false,
    title: 'The Idempotency-Key was used for another request',
    remedy: 'Use a new key for a new request, and repeat a key only with the same body.',
  },
  result_expired: {
    status: 410,
    retry: 'permanent',
    revivable: false,
    title: 'The result was kept for its time and is gone',
    remedy: 'Upload the file again to read it.',
  },
  payload_too_large: {
    status: 413,
    retry: 'permanent',
    revivable: false,
    title: 'The request body is too large',
    remedy: 'Send less at once.',
  },
  too_many_files: {
    status: 413,
    retry: 'permanent',
    revivable: false,
    title: 'Too many files in one request',
    remedy: 'Send at most 100 files a request.',
  },
  nothing_accepted: {
    status: 422,
    retry: 'permanent',
    revivable: false,
    title: 'Nothing in the request was accepted',
    remedy: 'Each entry of "rejected" says why.',
  },
  queue_full: {
    status: 429,
    retry: 'deferred',
    revivable: true,
    title: 'The queue is at its depth limit',
    remedy: 'Wait for Retry-After and send it again.',
  },
  rate_limited: {
    status: 429,
    retry: 'deferred',
    revivable: true,
    title: 'Too many requests',
    remedy: 'Wait for Retry-After and send it again.',
  },
  internal_error: {
    status: 500,
    retry: 'transient',
    revivable: true,
    title: 'Something in Galley failed',
    remedy: 'The server log has the cause under the request id.',
  },
  not_implemented: {
    status: 501,
    retry: 'permanent',
    revivable: false,
    title: 'This is not available yet',
    remedy: 'The detail names what is.',
  },
  redis_unavailable: {
    status: 503,
    retry: 'transient',
    revivable: true,
    title: 'Redis is away',
    remedy: 'Send it again shortly. What was being submitted may have arrived: look for it first.',
  },
  redis_full: {
    status: 503,
    retry: 'transient',
    revivable: true,
    title: 'Redis has no room for more',
    remedy: 'Raise maxmemory of Redis, or shorten what is kept (GALLEY_RESULT_MS, GALLEY_RETENTION_MS).',
  },
  shutting_down: { status: 503, retry: 'transient', revivable: true, title: 'The server is stopping', remedy: 'Send it again shortly.' },

  // files and documents
  empty_file: {
    status: 415,
    retry: 'permanent',
    revivable: false,
    title: 'The file is empty',
    remedy: 'Upload the file again from where it is whole.',
  },
  file_too_large: {
    status: 413,
    retry: 'permanent',
    revivable: false,
    title: 'The file is over the size limit',
    remedy: 'Split it, or raise GALLEY_MAX_FILE_BYTES.',
  },
  unsupported_format: {
    status: 415,
    retry: 'permanent',
    revivable: false,
    title: 'Not an image or PDF that Galley reads',
    remedy: 'Convert it to PDF, PNG, JPEG, TIFF, WebP, GIF, BMP or AVIF.',
  },
  encrypted_document: {
    status: 415,
    retry: 'permanent',
    revivable: false,
    title: 'The PDF needs a password',
    remedy: 'Ask the sender for a copy without one and upload it again.',
  },
  corrupt_document: {
    status: 415,
    retry: 'permanent',
    revivable: false,
    title: 'The file is damaged',
    remedy: 'Get the file again from its source; a retry cannot help.',
  },
  page_too_large: {
    status: 415,
    retry: 'permanent',
    revivable: false,
    title: 'A page is over the pixel limit',
    remedy: 'Scan it at a lower resolution, or raise GALLEY_MAX_PAGE_PIXELS.',
  },
  too_many_pages: {
    status: 413,
    retry: 'permanent',
    revivable: false,
    title: 'The document has too many pages',
    remedy: 'Split it, or raise GALLEY_MAX_PAGES.',
  },
  blob_missing: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'The uploaded file is not in this worker’s blob store',
    remedy: 'Server and workers must share GALLEY_DATA_DIR or an S3 bucket.',
  },
  url_not_allowed: {
    status: 422,
    retry: 'permanent',
    revivable: false,
    title: 'The URL may not be fetched',
    remedy: 'Use a public http or https address, or add it to the allow-list.',
  },
  fetch_failed: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The URL could not be fetched',
    remedy: 'Check that its server is up, then retry.',
  },
  fetch_rejected: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'The URL’s server refused it',
    remedy: 'Check the address and its access rights, then retry.',
  },

  // runs
  payload_invalid: {
    status: null,
    retry: 'permanent',
    revivable: false,
    title: 'The task’s payload does not fit its type',
    remedy: 'Submit it again with a payload of the right shape.',
  },
  handler_missing: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'No worker has a handler for this type of task',
    remedy: 'Deploy a worker that has it, then retry.',
  },
  timeout: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The run passed its time limit',
    remedy: 'Look at the page: a very dense one may need a longer timeout_ms.',
  },
  crash: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The worker died while it ran the task',
    remedy: 'Nothing to do: it is run again.',
  },
  crash_loop: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'The task’s worker died on it again and again',
    remedy: 'Look at the page before you retry: an oversized or damaged scan is the usual cause.',
  },
  child_failed: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'A child task became a dead letter or was cancelled',
    remedy: 'Retry each dead child: its parent follows. For a child that was cancelled, retry the parent: it runs again and is told.',
  },
  lock_contention: {
    status: null,
    retry: 'deferred',
    revivable: true,
    title: 'Another holder has the lock',
    remedy: 'Nothing to do: it is tried again.',
  },
  lock_lost: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'A lock was lost while it was held',
    remedy: 'Nothing to do: it is tried again. If it comes back, give the lock a longer TTL, or renew it.',
  },
  lock_store_unavailable: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The store of the locks does not answer',
    remedy: 'Check that Redis or RabbitMQ is up, then retry.',
  },
  upstream_rate_limited: {
    status: null,
    retry: 'deferred',
    revivable: true,
    title: 'The engine’s server asked to slow down',
    remedy: 'Nothing to do: it is tried again when that server allows.',
  },
  upstream_failed: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The engine’s server failed',
    remedy: 'Check that server, then retry.',
  },
  upstream_rejected: {
    status: null,
    retry: 'permanent',
    revivable: true,
    title: 'The engine’s server refused the page',
    remedy: 'Check the engine’s address, key and model, then retry.',
  },
  engine_failed: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The engine failed on the page',
    remedy: 'Read the error’s detail; retry once the cause is mended.',
  },
  engine_unavailable: {
    status: 422,
    retry: 'permanent',
    revivable: true,
    title: 'The engine is not configured',
    remedy: 'Use an engine that /readyz lists, or configure this one.',
  },
  unknown_error: {
    status: null,
    retry: 'transient',
    revivable: true,
    title: 'The handler failed',
    remedy: 'Read the error’s message and stack.',
  },

  // leases
  lease_lost: {
    status: 409,
    retry: 'permanent',
    revivable: false,
    title: 'The run is no longer the holder',
    remedy: 'Stop: another run has begun or the task was ended.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CATALOGUE, value);
}

/** The entry of a code; a code of a user's own handler is treated as `unknown_error` (DESIGN P7: unknown class is transient). */
export function errorEntry(code: string): ErrorEntry {
  return isErrorCode(code) ? ERROR_CATALOGUE[code] : ERROR_CATALOGUE.unknown_error;
}

/**
 * An error with a stable code.
 * `message` says what happened to this input; the catalogue's title and remedy say what it means and what to do.
 */
export class GalleyError extends Error {
  override readonly name = 'GalleyError';
  readonly code: ErrorCode;
  /** Milliseconds to wait before another try, where the other side said so (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}
