import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { failureOf } from '../rules/failure.ts';
import { type AbortReason, abortError } from './abort-reason.ts';
import { encodeResult } from './encode-result.ts';
import { type Execution, runHandler } from './executor.ts';
import type { Done, FanOut, Handlers, TaskDelivery } from './handler.ts';
import { LatestOnly } from './latest-only.ts';
import { type RecycleLimits, ThreadWear } from './thread-wear.ts';

/** Progress leaves the thread at most this often: its process tells it on far more seldom. */
const PROGRESS_GAP_MS = 100;

/** What the pool sends into a thread. */
export type ThreadRequest =
  | { readonly kind: 'load' }
  | { readonly kind: 'run'; readonly delivery: TaskDelivery; readonly port: MessagePort };

/** What a thread answers. `unloadable`: why it has no handlers. */
export type ThreadReply =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'unloadable'; readonly why: string }
  | { readonly kind: 'ended'; readonly execution: Execution };

/** What a thread hears while it runs a task. */
export type ThreadOrder = { readonly abort: AbortReason; readonly detail: string };
/** What it says meanwhile. `retiring`: how the run ended, from a thread that has done its share and is to be ended now. */
export type ThreadWord =
  | { readonly kind: 'progress'; readonly progress: number }
  | { readonly kind: 'retiring'; readonly execution: Execution };

export interface ThreadData {
  /** URL of the module that exports `handlers`. */
  readonly handlersUrl: string;
  readonly recycle: RecycleLimits;
}

function dataOf(value: unknown): ThreadData {
  // piscina hands user data over as the second element of its own array.
  const data: unknown = Array.isArray(value) ? value[1] : value;
  if (typeof data === 'object' && data !== null && 'handlersUrl' in data && typeof data.handlersUrl === 'string')
    return { handlersUrl: data.handlersUrl, recycle: 'recycle' in data ? (data.recycle as RecycleLimits) : {} };
  throw new GalleyError('internal_error', 'a handler thread was started without its handlers');
}

const { handlersUrl, recycle } = dataOf(workerData);
const wear = new ThreadWear(recycle);

/** Never rejects: a thread that died of it would be replaced by one that dies of it too, and so on. */
const loading: Promise<Handlers | { why: string }> = import(handlersUrl).then(
  (module: { handlers?: unknown }) =>
    typeof module.handlers === 'object' && module.handlers !== null
      ? (module.handlers as Handlers)
      : { why: `${handlersUrl} does not export "handlers"` },
  (error: unknown) => ({ why: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);

/** What can leave the thread: plain data, for a value that cannot be cloned would take the thread down when it is posted. */
function portable(execution: Execution): Execution {
  if (!execution.ok) return execution;
  const { outcome } = execution;
  try {
    return { ok: true, outcome: outcome.outcome === 'done' ? portableDone(outcome) : portableFamily(outcome) };
  } catch (error) {
    return { ok: false, failure: failureOf(error) };
  }
}

function portableDone(outcome: Done): Done {
  const { counters, resultMs } = outcome;
  // Whether they are numbers that can be counted is said by the reporter, as of a handler in the process itself.
  const counts = dataOnly('counters', () =>
    Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, numberOf(count ?? 0)])),
  );
  return { outcome: 'done', value: undefined, json: encodeResult(outcome), counters: counts, resultMs: resultMs && numberOf(resultMs) };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function portableFamily({ children, strict }: FanOut): FanOut {
  const plain = dataOnly('children', () => JSON.parse(JSON.stringify(children)) as FanOut['children']);
  return { outcome: 'fan_out', children: plain, strict: Boolean(strict) };
}

function dataOnly<Value>(what: string, make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    throw new GalleyError('payload_invalid', `the handler returned ${what} that are no data: ${failureOf(error).message}`, {
      cause: error,
    });
  }
}

export default async function runInThread(request: ThreadRequest): Promise<ThreadReply> {
  const handlers = await loading;
  if (isUnloadable(handlers)) return { kind: 'unloadable', why: handlers.why };
  if (request.kind === 'load') return { kind: 'loaded' };
  const { delivery, port } = request;
  const say = (word: ThreadWord): void => port.postMessage(word);
  const abort = new AbortController();
  port.on('message', (order: ThreadOrder) => abort.abort(abortError(order.abort, order.detail)));
  const progress = new LatestOnly(PROGRESS_GAP_MS, (fraction: number) => say({ kind: 'progress', progress: fraction }));
  const execution = portable(await runHandler(handlers, delivery, abort, (fraction) => progress.tell(fraction)));
  progress.end();
  if (wear.isWornOut()) {
    say({ kind: 'retiring', execution });
    // It stays taken, so that the pool gives it nothing more, until it is ended from outside.
    await new Promise(() => undefined);
  }
  port.close();
  return { kind: 'ended', execution };
}

function isUnloadable(loaded: Handlers | { why: string }): loaded is { why: string } {
  return typeof loaded.why === 'string';
}
