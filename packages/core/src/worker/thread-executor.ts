import { createRequire } from 'node:module';
import { MessageChannel, type Worker as Thread } from 'node:worker_threads';
import { GalleyError } from '@galley/contract';
import { Piscina } from 'piscina';
import type { AbortReason } from './abort-reason.ts';
import type { Execution, Executor } from './executor.ts';
import type { ThreadData, ThreadOrder, ThreadProgress } from './thread-entry.ts';

export interface ThreadOptions {
  /** URL of the module that exports `handlers`. */
  readonly handlersUrl: string;
  readonly threads: number;
  /** Megabytes of JavaScript heap a thread may use before it is ended. */
  readonly heapMb?: number;
  /** Milliseconds a handler has to heed its signal before its thread is ended. */
  readonly abortGraceMs?: number;
}

const ABORT_GRACE_MS = 500;

// By the package's own name: always the built file, because threads run JavaScript.
const ENTRY = createRequire(import.meta.url).resolve('@galley/core/thread-entry');

function reasonOf(signal: AbortSignal): { abort: AbortReason; detail: string } {
  const reason: unknown = signal.reason;
  const detail = reason instanceof Error ? reason.message : 'the run was stopped';
  if (reason instanceof GalleyError) {
    if (reason.code === 'task_cancelled') return { abort: 'cancelled', detail };
    if (reason.code === 'timeout') return { abort: 'timeout', detail };
    if (reason.code === 'shutting_down') return { abort: 'stopping', detail };
  }
  return { abort: 'lease_lost', detail };
}

/** Ends the one thread that `kill` takes out of the pool; resolves when it is gone, which native code can put off. */
function endThread(pool: Piscina, kill: AbortController): Promise<unknown> {
  const before: readonly Thread[] = pool.threads;
  kill.abort();
  const kept = new Set(pool.threads);
  const ending = before.filter((thread) => !kept.has(thread) && thread.threadId !== -1);
  return Promise.all(ending.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
}

/**
 * Runs handlers in threads, one task a thread, so that a computing handler can neither starve lease renewals nor refuse to
 * end. A thread that dies fails its task as a crash and is replaced; the others never notice.
 */
export function inThreads(options: ThreadOptions): Executor {
  const abortGraceMs = options.abortGraceMs ?? ABORT_GRACE_MS;
  const pool = new Piscina({
    filename: ENTRY,
    minThreads: options.threads,
    maxThreads: options.threads,
    concurrentTasksPerWorker: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    // A thread that waits by Atomics cannot hear its message ports.
    atomics: 'disabled',
    workerData: { handlersUrl: options.handlersUrl } satisfies ThreadData,
    ...(options.heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: options.heapMb } }),
  });
  // Each task's own promise carries its error; without a listener a dying idle thread would end the process.
  pool.on('error', () => {});

  return {
    start: async () => {
      await Promise.all(Array.from({ length: options.threads }, () => pool.run({ kind: 'load' })));
    },

    async execute(delivery, source, onProgress): Promise<Execution> {
      const { signal } = source;
      const { port1, port2 } = new MessageChannel();
      const kill = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      let stopped: Promise<unknown> = Promise.resolve();
      const onAbort = (): void => {
        port1.postMessage(reasonOf(signal) satisfies ThreadOrder);
        timer = setTimeout(() => {
          stopped = endThread(pool, kill);
        }, abortGraceMs);
      };
      port1.on('message', (message: ThreadProgress) => onProgress(message.progress));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      try {
        const execution: unknown = await pool.run({ kind: 'run', delivery, port: port2 }, { transferList: [port2], signal: kill.signal });
        return execution as Execution;
      } catch (error) {
        const reason: unknown = signal.reason;
        if (kill.signal.aborted) {
          // Another copy may start once this one is reported (DESIGN P10), so it must really have ended.
          await stopped;
          const { detail } = reasonOf(signal);
          return {
            ok: false,
            failure: {
              class: 'transient',
              code: reason instanceof GalleyError ? reason.code : 'lease_lost',
              message: `${detail}; its thread did not stop by itself and was ended`,
            },
          };
        }
        const cause = error instanceof Error ? error.message : String(error);
        return { ok: false, failure: { class: 'crash', code: 'crash', message: `the handler's thread died: ${cause}` } };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        port1.close();
      }
    },

    stop: () => pool.destroy(),
  };
}
