import { GalleyError } from '@galley/contract';
import type { Done } from './handler.ts';

/**
 * A hundred of them travel in one call, and Redis closes a connection that has sent it a gigabyte: the call would be sent again and
 * again, and nothing else would get through.
 */
export const RESULT_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * A run's result as it is stored; empty for none. Throws `payload_invalid` where JSON cannot carry it, and `payload_too_large`: in a
 * batch it would take its neighbours' results down.
 */
export function encodeResult(done: Done): string {
  const text = textOf(done);
  // A character takes up to three bytes; to count them is only worth it for long ones.
  const size = 3 * text.length > RESULT_LIMIT_BYTES ? Buffer.byteLength(text) : 0;
  if (size > RESULT_LIMIT_BYTES)
    throw new GalleyError(
      'payload_too_large',
      `the handler returned a result of ${size} bytes and the limit is ${RESULT_LIMIT_BYTES}; store it as a blob and return its hash`,
    );
  return text;
}

function textOf({ value, json }: Done): string {
  if (json !== undefined) return json;
  if (value === undefined) return '';
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GalleyError('payload_invalid', `the handler returned a result that JSON cannot carry: ${why}`, { cause: error });
  }
  if (text === undefined) throw new GalleyError('payload_invalid', `the handler returned a ${typeof value}, which is no data`);
  return text;
}
