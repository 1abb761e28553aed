import { createRequire } from 'node:module';
import { MessageChannel, type MessagePort, type Worker as Thread } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { Piscina } from 'piscina';
import { failureOf } from '../rules/failure.ts';
import type { AbortReason } from './abort-reason.ts';
import type { Execution, Executor, SignalSource } from './executor.ts';
import type { TaskDelivery } from './handler.ts';
import type { ThreadData, ThreadOrder, ThreadReply, ThreadRequest, ThreadWord } from './thread-entry.ts';
import type { RecycleLimits } from './thread-wear.ts';

export interface ThreadOptions {
  /** URL of the module that exports `handlers`. */
  readonly handlersUrl: string;
  readonly threads: number;
  /** Megabytes of JavaScript heap a thread may use before it is ended. */
  readonly heapMb?: number;
  /** Milliseconds a handler has to heed its signal before its thread is ended. */
  readonly abortGraceMs?: number;
  /** When a thread is replaced by a fresh one, between two tasks. A task that comes meanwhile waits for the fresh one to load. */
  readonly recycle?: RecycleLimits;
}

const ABORT_GRACE_MS = 500;
/** So many threads may die in a row without a task to blame before the pool is given up. */
const IDLE_DEATHS = 10;

// By the package's own name: always the built file, because threads run JavaScript.
const ENTRY = createRequire(import.meta.url).resolve('@galley/core/thread-entry');

function reasonOf(signal: AbortSignal): ThreadOrder {
  const reason: unknown = signal.reason;
  const detail = reason instanceof Error ? reason.message : 'the run was stopped';
  const abort = reason instanceof GalleyError ? REASONS[reason.code] : undefined;
  return { abort: abort ?? 'lease_lost', detail };
}

const REASONS: Readonly<Record<string, AbortReason>> = { task_cancelled: 'cancelled', timeout: 'timeout', shutting_down: 'stopping' };

/** Ends the one thread that `kill` takes out of the pool; resolves when it is gone, which native code can put off. */
function endThread(pool: Piscina, kill: AbortController): Promise<unknown> {
  const before: readonly Thread[] = pool.threads;
  kill.abort();
  const kept = new Set(pool.threads);
  const ending = before.filter((thread) => !kept.has(thread) && thread.threadId !== -1);
  return Promise.all(ending.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
}

function unloadable(why: string): Error {
  return new GalleyError('internal_error', `handlers cannot be loaded: ${why}`);
}

/**
 * Runs handlers in threads, one task a thread, so that a computing handler can neither starve lease renewals nor refuse to
 * end. A thread that dies fails its task as a crash and is replaced; the others never notice. Threads that cannot even load their
 * handlers are not replaced without end: `start` throws, and later on the executor says that it is broken.
 */
export function inThreads(options: ThreadOptions): Executor {
  return new ThreadExecutor(options);
}

class ThreadExecutor implements Executor {
  private readonly pool: Piscina;
  private readonly threads: number;
  private readonly abortGraceMs: number;
  private onBroken: (why: Error) => void = () => undefined;
  private broken: Error | null = null;
  private started = false;
  private idleDeaths = 0;

  constructor(options: ThreadOptions) {
    this.threads = options.threads;
    this.abortGraceMs = options.abortGraceMs ?? ABORT_GRACE_MS;
    this.pool = new Piscina({
      filename: ENTRY,
      minThreads: options.threads,
      maxThreads: options.threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // A thread that waits by Atomics cannot hear its message ports.
      atomics: 'disabled',
      workerData: { handlersUrl: options.handlersUrl, recycle: options.recycle ?? {} } satisfies ThreadData,
      ...(options.heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: options.heapMb } }),
    });
    // Each task's own promise carries its error; this hears of threads that die without a task.
    this.pool.on('error', (error: Error) => {
      if (++this.idleDeaths > IDLE_DEATHS) this.breakDown(error);
    });
  }

  async start(onBroken: (why: Error) => void = () => undefined): Promise<void> {
    this.onBroken = onBroken;
    const replies = await Promise.all(Array.from({ length: this.threads }, () => this.ask({ kind: 'load' })));
    for (const reply of replies) if (reply.kind === 'unloadable') throw unloadable(reply.why);
    if (this.broken !== null) throw this.broken;
    this.started = true;
  }

  async execute(delivery: TaskDelivery, source: SignalSource, onProgress: (fraction: number) => void): Promise<Execution> {
    if (this.broken !== null) return unstarted(this.broken);
    const { signal } = source;
    const { port1, port2 } = new MessageChannel();
    const kill = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let stopped: Promise<unknown> = Promise.resolve();
    const onAbort = (): void => {
      port1.postMessage(reasonOf(signal) satisfies ThreadOrder);
      timer = setTimeout(() => {
        stopped = endThread(this.pool, kill);
      }, this.abortGraceMs);
    };
    const retired = heardOf(port1, onProgress);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      const reply = await Promise.race([this.ask({ kind: 'run', delivery, port: port2 }, kill.signal), retired]);
      this.idleDeaths = 0;
      return this.executionOf(reply, kill);
    } catch (error) {
      if (!kill.signal.aborted) return crashed(error);
      // Another copy may start once this one is reported (DESIGN P10), so it must really have ended.
      await stopped;
      return deaf(signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      port1.close();
    }
  }

  stop(): Promise<void> {
    return this.pool.destroy();
  }

  private async ask(request: ThreadRequest, signal?: AbortSignal): Promise<ThreadReply> {
    const transferList = request.kind === 'run' ? [request.port] : [];
    const reply: unknown = await this.pool.run(request, { transferList, ...(signal === undefined ? {} : { signal }) });
    // The pool takes a thread that died of `throw undefined` for one that has answered nothing.
    if (typeof reply !== 'object' || reply === null) throw new Error('it threw nothing that could be named');
    return reply as ThreadReply;
  }

  private executionOf(reply: ThreadReply | Retired, kill: AbortController): Execution {
    switch (reply.kind) {
      case 'ended':
        return reply.execution;
      case 'retiring':
        // Its run has ended, so nobody has to wait for the thread itself.
        endThread(this.pool, kill).catch(() => undefined);
        return reply.execution;
      case 'unloadable':
        return unstarted(this.breakDown(unloadable(reply.why)));
      case 'loaded':
        throw new GalleyError('internal_error', 'a thread answered a task as if it had been asked to load');
    }
  }

  private breakDown(why: Error): Error {
    if (this.broken !== null) return this.broken;
    this.broken = why;
    if (this.started) this.onBroken(why);
    return why;
  }
}

type Retired = Extract<ThreadWord, { kind: 'retiring' }>;

/** Passes progress on; resolves when the thread says that it is done for good. */
function heardOf(port: MessagePort, onProgress: (fraction: number) => void): Promise<Retired> {
  return new Promise((resolve) => {
    port.on('message', (word: ThreadWord) => {
      if (word.kind === 'progress') onProgress(word.progress);
      else resolve(word);
    });
  });
}

function unstarted(why: Error): Execution {
  return { ok: false, unstarted: true, failure: { class: 'transient', code: 'internal_error', message: why.message } };
}

function crashed(error: unknown): Execution {
  // Whatever was thrown there: it is put into words, and bounded, as a handler's error is.
  const { message } = failureOf(error);
  return { ok: false, failure: { class: 'crash', code: 'crash', message: `the handler's thread died: ${message}` } };
}

function deaf(signal: AbortSignal): Execution {
  const reason: unknown = signal.reason;
  const message = `${reasonOf(signal).detail}; its thread did not stop by itself and was ended`;
  return { ok: false, failure: { class: 'transient', code: reason instanceof GalleyError ? reason.code : 'lease_lost', message } };
}
