import { GalleyError } from '@galley/contract';

/** A script's refusal may stand behind words of Redis's own. */
const FULL = /^(OOM|MISCONF)\b|\bOOM command not allowed\b/;
/** What the client says of a command that is given to it, or waits in it, when it is closed. */
const CLOSED = /^Connection is closed\b/;

/**
 * For producers: what Redis refuses and what a closed connection cannot send, under its code; anything else as it is. Not for what a
 * worker reports, where an error with a code is the task's own.
 */
export function codedError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  if (FULL.test(error.message))
    return new GalleyError('redis_full', 'Redis refuses to write: its memory or its disk is full', { cause: error });
  if (CLOSED.test(error.message))
    return new GalleyError('redis_unavailable', 'the connection to Redis is closed: open another with connectRedis', { cause: error });
  return error;
}

/** The same as a `catch`. */
export function throwCoded(error: unknown): never {
  throw codedError(error);
}
