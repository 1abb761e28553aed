import { GalleyError, type RequestEngine } from '@galley/contract';

/** What workers of the OCR queue have; a served model gets a queue of its own. */
export const AVAILABLE_ENGINES: readonly RequestEngine[] = ['auto', 'onnx', 'text-layer'];

/**
 * A callback that is asked for and never sent would be waited for in vain.
 * @throws GalleyError `not_implemented`
 */
export function refuseCallback(callbackUrl: string | undefined): void {
  if (callbackUrl === undefined) return;
  throw new GalleyError('not_implemented', 'callbacks are not sent yet: leave callback_url out, and read or watch the task');
}

/** @throws GalleyError `engine_unavailable` */
export function requireEngine(engine: RequestEngine): void {
  if (!AVAILABLE_ENGINES.includes(engine)) {
    throw new GalleyError('engine_unavailable', `the engine ${engine} is not configured here; there are ${AVAILABLE_ENGINES.join(', ')}`);
  }
}
