import { GalleyError, type RequestEngine } from '@galley/contract';
import type { RecogniseOptions } from '@galley/ocr';
import * as z from 'zod/mini';

// zod/mini has no messages of its own, and ours are read by people.
z.config(z.locales.en());

/** Throws GalleyError `payload_invalid` that names the fields. */
export function parsePayload<Schema extends z.ZodMiniType>(schema: Schema, payload: unknown): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the payload'}: ${issue.message}`);
  throw new GalleyError('payload_invalid', `The task's payload does not fit its type (${faults.join('; ')}).`);
}

/** Throws GalleyError `engine_unavailable` for an engine that this worker does not have. */
export function engineOf(requested: RequestEngine): NonNullable<RecogniseOptions['engine']> {
  if (requested === 'glm-ocr') {
    throw new GalleyError('engine_unavailable', 'The engine glm-ocr is not configured on this worker; use auto, onnx or text-layer.');
  }
  return requested;
}
