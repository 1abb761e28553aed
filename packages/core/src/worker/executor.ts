import { GalleyError } from '@galley/contract';
import { type Failure, failureOf } from '../rules/failure.ts';
import { asOutcome, type Handlers, type Outcome, type TaskContext, type TaskDelivery } from './handler.ts';

export type Execution = { readonly ok: true; readonly outcome: Outcome } | { readonly ok: false; readonly failure: Failure };

/** What a handler's signal comes from; made only when it is asked for. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

/** Where handlers run: in this process, or in threads. */
export interface Executor {
  /** Throws where handlers cannot be loaded, and says why. */
  start(): Promise<void>;
  /** Settles only when the handler has really stopped. */
  execute(delivery: TaskDelivery, source: SignalSource, onProgress: (fraction: number) => void): Promise<Execution>;
  stop(): Promise<void>;
}

/** Finds and runs the handler of a task; every error becomes a failure with its class. */
export async function runHandler(
  handlers: Handlers,
  delivery: TaskDelivery,
  source: SignalSource,
  onProgress: (fraction: number) => void,
): Promise<Execution> {
  try {
    const handler = Object.hasOwn(handlers, delivery.type) ? handlers[delivery.type] : undefined;
    if (handler === undefined) throw new GalleyError('handler_missing', `no handler is registered for tasks of type "${delivery.type}"`);
    const progress = (fraction: number): void => onProgress(Math.min(1, Math.max(0, fraction)));
    const context: TaskContext = {
      ...delivery,
      progress,
      get signal() {
        return source.signal;
      },
    };
    return { ok: true, outcome: asOutcome(await handler(context)) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

/**
 * Runs handlers in the worker's own process, for tasks that wait on other machines. A handler that computes here starves
 * lease renewals, and one that ignores its signal cannot be ended: use threads for those.
 */
export function inProcess(handlers: Handlers): Executor {
  return {
    start: () => Promise.resolve(),
    execute: (delivery, source, onProgress) => runHandler(handlers, delivery, source, onProgress),
    stop: () => Promise.resolve(),
  };
}
