import { STATUS_CODES } from 'node:http';
import { ERROR_CATALOGUE, GalleyError, PROBLEM_CONTENT_TYPE, type Problem } from '@galley/contract';
import type { Response } from 'express';

/** An answer in RFC 9457's form. `extra` members stand beside the standard ones. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Problem;
}

/** The client has gone, so there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}

/** Errors of the body parser, by their documented `type`. */
function ofBodyParser(error: unknown): GalleyError | null {
  switch (field(error, 'type')) {
    case 'entity.too.large':
      return new GalleyError('payload_too_large', 'the body is over the limit of this route', { cause: error });
    case 'entity.parse.failed':
      return new GalleyError('invalid_request', 'the body is not valid JSON: it must be an object', { cause: error });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new GalleyError('invalid_request', 'the body must be JSON in UTF-8, plain or gzipped', { cause: error });
    case 'request.aborted':
    case 'request.size.invalid':
      return new GalleyError('invalid_request', 'the body ended before its Content-Length', { cause: error });
    default:
      return null;
  }
}

/** Redis's own refusals: it is full, or cannot write to its disk. */
function ofRedis(error: unknown): GalleyError | null {
  const message = field(error, 'message');
  if (field(error, 'name') !== 'ReplyError' || typeof message !== 'string' || !/^(OOM|MISCONF)\b|\bOOM command not allowed\b/.test(message))
    return null;
  return new GalleyError('redis_full', 'Redis refuses to write: its memory or its disk is full', { cause: error });
}

/**
 * What a thrown value is answered with. Anything unexpected is an `internal_error` whose cause stays in the log, and so is an error
 * that has no HTTP status or says where files lie: both are for operators, not for clients.
 */
export function toGalleyError(error: unknown): GalleyError {
  if (error instanceof GalleyError) {
    const isForClients = error.code !== 'internal_error' && ERROR_CATALOGUE[error.code].status !== null;
    return isForClients ? error : internalError(error);
  }
  const known = ofBodyParser(error) ?? ofRedis(error);
  if (known !== null) return known;
  if (error instanceof URIError) return new GalleyError('invalid_request', 'the address cannot be decoded', { cause: error });
  if (field(error, 'status') === 400) {
    const isZlib = String(field(error, 'code')).startsWith('Z_');
    const what = isZlib ? 'the body is not what its Content-Encoding says, or is cut short' : 'the request cannot be read';
    return new GalleyError('invalid_request', what, { cause: error });
  }
  return internalError(error);
}

function internalError(cause: unknown): GalleyError {
  return new GalleyError('internal_error', 'the request failed inside Galley; its log has the cause under the request id', { cause });
}

/** Whether an error says that what was sent cannot be taken, so that the rest of a batch can. */
export function isRefusal(error: unknown): error is GalleyError {
  const status = error instanceof GalleyError ? ERROR_CATALOGUE[error.code].status : null;
  return status !== null && status >= 400 && status < 500;
}

export function problemOf(
  error: GalleyError,
  requestId: string,
  extra: Readonly<Record<string, unknown>> = {},
  status?: number,
): ProblemAnswer {
  const entry = ERROR_CATALOGUE[error.code];
  const code = status ?? entry.status ?? 500;
  const headers: Record<string, string> = {};
  if (error.retryAfterMs !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
  else if (code === 503) headers['retry-after'] = '1';
  if (code === 401) headers['www-authenticate'] = 'Bearer realm="galley"';
  return {
    status: code,
    headers,
    body: {
      type: `urn:galley:error:${error.code}`,
      title: entry.title,
      status: code,
      code: error.code,
      detail: error.message === '' ? (STATUS_CODES[code] ?? entry.title) : error.message,
      remedy: entry.remedy,
      request_id: requestId,
      ...extra,
    },
  };
}

export function sendProblem(response: Response, problem: ProblemAnswer): void {
  if (response.headersSent) {
    // Too late to say so in words: a cut answer tells the client that it is not whole.
    response.destroy();
    return;
  }
  response.status(problem.status).set(problem.headers).type(PROBLEM_CONTENT_TYPE).send(JSON.stringify(problem.body));
}
