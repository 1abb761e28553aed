import { GalleyError } from '@galley/contract';
import { type Failure, failureOf } from '../rules/failure.ts';
import type { TaskTypes } from '../rules/message.ts';
import { asOutcome, type Handlers, type Outcome, type TaskContext, type TaskDelivery } from './handler.ts';

export type Execution =
  | { readonly ok: true; readonly outcome: Outcome }
  /** `unstarted`: the handler never began, since no handler can be run here any more; the task is not to blame. */
  | { readonly ok: false; readonly failure: Failure; readonly unstarted?: true };

/** What a handler's signal comes from; made only when it is asked for. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

/** Where handlers run: in this process, or in threads. */
export interface Executor {
  /** Throws where handlers cannot be loaded, and says why. `onBroken` hears, once, when they could be and cannot be run any more. */
  start(onBroken?: (why: Error) => void): Promise<void>;
  /** Settles only when the handler has really stopped. */
  execute(delivery: TaskDelivery, source: SignalSource, onProgress: (fraction: number) => void): Promise<Execution>;
  stop(): Promise<void>;
}

/** A class, because an object with its own getter and function for each run was most of what a small task cost. */
class RunContext implements TaskContext {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly payload: TaskDelivery['payload'];
  readonly priority: number;
  readonly fence: number;
  readonly attempt: number;
  readonly crashes: number;
  readonly children: TaskDelivery['children'];
  readonly #source: SignalSource;
  readonly #onProgress: (fraction: number) => void;

  constructor(delivery: TaskDelivery, source: SignalSource, onProgress: (fraction: number) => void) {
    this.id = delivery.id;
    this.queue = delivery.queue;
    this.type = delivery.type;
    this.payload = delivery.payload;
    this.priority = delivery.priority;
    this.fence = delivery.fence;
    this.attempt = delivery.attempt;
    this.crashes = delivery.crashes;
    this.children = delivery.children;
    this.#source = source;
    this.#onProgress = onProgress;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }

  /** Made when it is asked for, so that it may be taken out of the context. What is no number says nothing. */
  get progress(): (fraction: number) => void {
    return (fraction) => {
      if (Number.isFinite(fraction)) this.#onProgress(Math.min(1, Math.max(0, fraction)));
    };
  }
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
    const context = new RunContext(delivery, source, onProgress);
    return { ok: true, outcome: asOutcome(await handler(context)) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

/**
 * Runs handlers in the worker's own process, for tasks that wait on other machines. A handler that computes here starves
 * lease renewals, and one that ignores its signal cannot be ended: use threads for those. `Types`: the queue's task types; they are the
 * submitter's word, and a payload is not compared with them here.
 */
export function inProcess<Types extends TaskTypes = TaskTypes>(handlers: NoInfer<Handlers<Types>>): Executor {
  const untyped = handlers as Handlers;
  return {
    start: () => Promise.resolve(),
    execute: (delivery, source, onProgress) => runHandler(untyped, delivery, source, onProgress),
    stop: () => Promise.resolve(),
  };
}
