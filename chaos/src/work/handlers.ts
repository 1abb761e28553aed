import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { type ChildTask, fanOut, type Handler, type Handlers, type Json, type Outcome, type TaskContext } from '@galley/core';
import type { HistoryWriter } from '../history/writer.ts';
import { type Work, type WorkType, workSchema } from './work.ts';

/** What a task of a type does. `by`: process and incarnation, which is part of what a run returns. */
type Act = (work: Work, context: TaskContext, by: string) => Promise<Json | Outcome | undefined>;

function codeOf(error: unknown): string {
  return error instanceof GalleyError ? error.code : error instanceof Error ? error.message : String(error);
}

/** Runs `act` and writes down how it began and ended. */
function recorded(act: Act, history: HistoryWriter): Handler {
  return async (context) => {
    const { id: task, fence, type, attempt, crashes, signal } = context;
    history.write({ event: 'run started', task, fence, type, attempt, crashes });
    signal.addEventListener('abort', () => history.write({ event: 'run aborted', task, fence, code: codeOf(signal.reason) }));
    try {
      const value = await act(workSchema.parse(context.payload), context, history.by);
      const fannedOut = typeof value === 'object' && value !== null && 'outcome' in value && value.outcome === 'fan_out';
      history.write({ event: 'run ended', task, fence, how: fannedOut ? 'fanned out' : 'returned', detail: '' });
      return value;
    } catch (error) {
      history.write({ event: 'run ended', task, fence, how: 'threw', detail: codeOf(error) });
      throw error;
    }
  };
}

function result(work: Work, context: TaskContext, by: string): Json {
  return { fence: context.fence, by, label: work.label };
}

/** Works for its time and heeds its signal. */
const work: Act = async (order, context, by) => {
  if (order.ms > 0) {
    await delay(order.ms, undefined, { signal: context.signal }).catch((error: unknown) => {
      throw context.signal.aborted ? context.signal.reason : error;
    });
  }
  return result(order, context, by);
};

/** Misbehaves until its fence is past the bound, then works. */
function until(misbehave: Act): Act {
  return (order, context, by) => (context.fence <= order.untilFence ? misbehave(order, context, by) : work(order, context, by));
}

const forEver = (): Promise<never> => new Promise(() => setTimeout(() => undefined, 2 ** 30));
/** How long a handler that hears nothing takes where no thread can be ended under it. */
const DEAF_IN_PROCESS_MS = 3_000;

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
  /** Holds its thread and hears nothing meanwhile, as one that computes does, but leaves the machine's cores to the others. */
  block: (order, context, by) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
    return Promise.resolve(result(order, context, by));
  },
  /** Does not heed its signal: its thread is ended when its time is over. */
  deaf: until((order, context, by) => (isMainThread ? delay(DEAF_IN_PROCESS_MS, result(order, context, by)) : forEver())),
  transient: until(() => {
    throw Object.assign(new Error('the other side hung up'), { code: 'ECONNRESET' });
  }),
  deferred: until(() => {
    throw Object.assign(new Error('not so fast'), { status: 429, retryAfterMs: 300 });
  }),
  permanent: until(() => {
    throw new GalleyError('corrupt_document', 'it cannot be read');
  }),
  /** Only where there is a thread to end. */
  'thread-death': until((order, context, by) => (isMainThread ? work(order, context, by) : process.exit(3))),
  /** Ends the whole process as a power cut would. */
  killer: until(() => {
    process.kill(process.pid, 'SIGKILL');
    return forEver();
  }),
  parent: (order, context, by) =>
    context.children === null ? Promise.resolve(fanOut(childrenOf(order), { strict: order.strict })) : work(order, context, by),
} satisfies Record<WorkType, Act>;

/** The handlers of a chaos run, which write down what they meet. */
export function handlersOf(history: HistoryWriter): Handlers {
  return Object.fromEntries(Object.entries(ACTS).map(([type, act]) => [type, recorded(act, history)]));
}
