import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { type ChildTask, fanOut, type Handler, type Handlers, type Json, type Outcome, type TaskContext } from '@galley/core';
import { HistoryWriter } from '../history/writer.ts';
import { type Work, type WorkType, workSchema } from './work.ts';

/**
 * The handlers of a chaos run, loaded in each thread. Where the history lies and whose thread this is stand in the query of
 * this module's own address, since a thread is handed nothing else.
 */
const { searchParams } = new URL(import.meta.url);
const by = searchParams.get('by') ?? 'unknown';
const history = new HistoryWriter(searchParams.get('history') ?? '.', by);

type Act = (work: Work, context: TaskContext) => Promise<Json | Outcome | undefined>;

function codeOf(error: unknown): string {
  return error instanceof GalleyError ? error.code : error instanceof Error ? error.message : String(error);
}

/** Runs `act` and writes down how it began and ended. */
function recorded(act: Act): Handler {
  return async (context) => {
    const { id: task, fence, type, attempt, crashes, signal } = context;
    history.write({ event: 'run started', task, fence, type, attempt, crashes });
    signal.addEventListener('abort', () => history.write({ event: 'run aborted', task, fence, code: codeOf(signal.reason) }));
    try {
      const value = await act(workSchema.parse(context.payload), context);
      const fannedOut = typeof value === 'object' && value !== null && 'outcome' in value && value.outcome === 'fan_out';
      history.write({ event: 'run ended', task, fence, how: fannedOut ? 'fanned out' : 'returned', detail: '' });
      return value;
    } catch (error) {
      history.write({ event: 'run ended', task, fence, how: 'threw', detail: codeOf(error) });
      throw error;
    }
  };
}

function result(work: Work, context: TaskContext): Json {
  return { fence: context.fence, by, label: work.label };
}

/** Works for its time and heeds its signal. */
const work: Act = async (order, context) => {
  if (order.ms > 0) {
    await delay(order.ms, undefined, { signal: context.signal }).catch((error: unknown) => {
      throw context.signal.aborted ? context.signal.reason : error;
    });
  }
  return result(order, context);
};

/** Misbehaves until its fence is past the bound, then works. */
function until(misbehave: Act): Act {
  return (order, context) => (context.fence <= order.untilFence ? misbehave(order, context) : work(order, context));
}

const forEver = (): Promise<never> => new Promise(() => setTimeout(() => undefined, 2 ** 30));
/** How long a handler that hears nothing takes where no thread can be ended under it. */
const DEAF_IN_PROCESS_MS = 4_000;

function childrenOf({ label, children }: Work): ChildTask[] {
  return children.map((type, index) => ({
    type,
    payload: { label: `${label}/${index + 1}`, ms: type === 'slow' ? 300 : 5, untilFence: type === 'permanent' ? 1_000 : 1 },
  }));
}

const ACTS = {
  quick: work,
  slow: work,
  exclusive: work,
  /** Computes and hears nothing meanwhile. */
  spin: (order, context) => {
    const end = performance.now() + order.ms;
    while (performance.now() < end);
    return Promise.resolve(result(order, context));
  },
  /** Does not heed its signal: its thread is ended when its time is over. */
  deaf: until((order, context) => (isMainThread ? delay(DEAF_IN_PROCESS_MS, result(order, context)) : forEver())),
  transient: until(() => {
    throw Object.assign(new Error('the other side hung up'), { code: 'ECONNRESET' });
  }),
  deferred: until(() => {
    throw Object.assign(new Error('not so fast'), { status: 429, retryAfterMs: 300 });
  }),
  permanent: until(() => {
    throw new GalleyError('corrupt_document', 'it cannot be read');
  }),
  'thread-death': until(() => process.exit(3)),
  /** Ends the whole process as a power cut would. */
  killer: until(() => {
    process.kill(process.pid, 'SIGKILL');
    return forEver();
  }),
  parent: (order, context) =>
    context.children === null ? Promise.resolve(fanOut(childrenOf(order), { strict: order.strict })) : work(order, context),
} satisfies Record<WorkType, Act>;

export const handlers: Handlers = Object.fromEntries(Object.entries(ACTS).map(([type, act]) => [type, recorded(act)]));
