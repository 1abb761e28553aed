import { GalleyError, type RequestEngine } from '@galley/contract';
import * as z from 'zod/mini';
import type { GlmOcrConfig, WorkerConfig } from '../config.ts';

// zod/mini has no messages of its own, and ours are read by people.
z.config(z.locales.en());

/** Throws GalleyError `payload_invalid` that names the fields. */
export function parsePayload<Schema extends z.ZodMiniType>(schema: Schema, payload: unknown): z.output<Schema> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the payload'}: ${issue.message}`);
  throw new GalleyError('payload_invalid', `The task's payload does not fit its type (${faults.join('; ')}).`);
}

/** Throws GalleyError `engine_unavailable` where this worker is told of no GLM-OCR server. */
export function requireGlmOcr({ glmOcr }: WorkerConfig): GlmOcrConfig {
  if (glmOcr !== undefined) return glmOcr;
  throw new GalleyError(
    'engine_unavailable',
    'The engine glm-ocr is not configured on this worker: set GALLEY_GLM_OCR_URL, or use auto, onnx or text-layer.',
  );
}

/** Throws GalleyError `engine_unavailable` for an engine that this worker does not have. */
export function requireEngine(engine: RequestEngine, config: WorkerConfig): void {
  if (engine === 'glm-ocr') requireGlmOcr(config);
}
