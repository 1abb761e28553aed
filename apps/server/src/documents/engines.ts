import { GalleyError, type RequestEngine } from '@galley/contract';

/** What workers of the OCR queue have; a served model gets a queue of its own. */
export const AVAILABLE_ENGINES: readonly RequestEngine[] = ['auto', 'onnx', 'text-layer'];

/** @throws GalleyError `engine_unavailable` */
export function requireEngine(engine: RequestEngine): void {
  if (!AVAILABLE_ENGINES.includes(engine)) {
    throw new GalleyError('engine_unavailable', `the engine ${engine} is not configured here; there are ${AVAILABLE_ENGINES.join(', ')}`);
  }
}
