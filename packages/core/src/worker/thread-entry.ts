import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { failureOf } from '../rules/failure.ts';
import { type AbortReason, abortError } from './abort-reason.ts';
import { encodeResult } from './encode-result.ts';
import { type Execution, runHandler } from './executor.ts';
import type { FanOut, Handlers, TaskDelivery } from './handler.ts';

/** What the pool sends into a thread. */
export type ThreadRequest =
  | { readonly kind: 'load' }
  | { readonly kind: 'run'; readonly delivery: TaskDelivery; readonly port: MessagePort };

/** What a thread hears while it runs a task, and what it says. */
export type ThreadOrder = { readonly abort: AbortReason; readonly detail: string };
export interface ThreadProgress {
  readonly progress: number;
}

export interface ThreadData {
  /** URL of the module that exports `handlers`. */
  readonly handlersUrl: string;
}

function dataOf(value: unknown): ThreadData {
  // piscina hands user data over as the second element of its own array.
  const data: unknown = Array.isArray(value) ? value[1] : value;
  if (typeof data === 'object' && data !== null && 'handlersUrl' in data && typeof data.handlersUrl === 'string')
    return { handlersUrl: data.handlersUrl };
  throw new GalleyError('internal_error', 'a handler thread was started without its handlers');
}

const loading = import(dataOf(workerData).handlersUrl).then((module: { handlers?: unknown }) => {
  if (typeof module.handlers !== 'object' || module.handlers === null)
    throw new TypeError(`${dataOf(workerData).handlersUrl} does not export "handlers"`);
  return module.handlers as Handlers;
});

/** What can leave the thread: a value that cannot be cloned would take the thread down when it is posted. */
function portable(execution: Execution): Execution {
  if (!execution.ok) return execution;
  const { outcome } = execution;
  try {
    if (outcome.outcome === 'done') return { ok: true, outcome: { ...outcome, value: undefined, json: encodeResult(outcome) } };
    return { ok: true, outcome: { ...outcome, children: JSON.parse(JSON.stringify(outcome.children)) as FanOut['children'] } };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

export default async function runInThread(request: ThreadRequest): Promise<Execution | null> {
  const handlers = await loading;
  if (request.kind === 'load') return null;
  const { delivery, port } = request;
  const abort = new AbortController();
  port.on('message', (order: ThreadOrder) => abort.abort(abortError(order.abort, order.detail)));
  try {
    return portable(await runHandler(handlers, delivery, abort, (progress) => port.postMessage({ progress } satisfies ThreadProgress)));
  } finally {
    port.close();
  }
}
