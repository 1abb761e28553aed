import { GalleyError } from '@galley/contract';
import type * as z from 'zod/mini';

/** An answer's JSON by its schema. Throws GalleyError `upstream_failed`: a server that restarts or a proxy before it says such things. */
export function parseAnswer<Schema extends z.ZodMiniType>(schema: Schema, body: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new GalleyError('upstream_failed', 'The GLM-OCR server answered with something that is not JSON.', { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new GalleyError(
    'upstream_failed',
    `The GLM-OCR server’s answer has another form than its protocol (${issue?.path.join('.') || 'the whole answer'}); check GALLEY_GLM_OCR_PROTOCOL.`,
  );
}
