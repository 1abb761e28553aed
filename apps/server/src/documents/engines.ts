import { GalleyError, type RequestEngine } from '@galley/contract';
import type { Config } from '../config.ts';

/** What workers of the OCR queue have. */
const OCR_ENGINES: readonly RequestEngine[] = ['auto', 'onnx', 'text-layer'];

/** What may be asked for here. */
export function availableEngines({ hasGlmOcr }: Config): readonly RequestEngine[] {
  return hasGlmOcr ? [...OCR_ENGINES, 'glm-ocr'] : OCR_ENGINES;
}

/** @throws GalleyError `engine_unavailable` */
export function requireEngine(engine: RequestEngine, config: Config): void {
  const available = availableEngines(config);
  if (available.includes(engine)) return;
  throw new GalleyError(
    'engine_unavailable',
    `the engine ${engine} is not configured here; there are ${available.join(', ')} (glm-ocr needs GALLEY_GLM_OCR_URL)`,
  );
}
