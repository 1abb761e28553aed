import { GalleyError } from '@galley/contract';
import type { Done } from './handler.ts';

/**
 * A run's result as it is stored; empty for none. Throws `payload_invalid` where JSON cannot carry it: in a batch it would
 * take its neighbours' results down.
 */
export function encodeResult({ value, json }: Done): string {
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
