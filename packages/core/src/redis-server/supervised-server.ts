import { setTimeout as delay } from 'node:timers/promises';
import { GalleyError } from '@galley/contract';
import type { DirectoryLock } from './directory-lock.ts';
import type { RedisProgram } from './find-redis-server.ts';
import { identifyProcess, type ProcessIdentity } from './process-identity.ts';
import { type AppendFsync, spawnServer } from './server-process.ts';
import { removeRecord, removeSocket, writeRecord } from './server-record.ts';
import { endServer, untilAdoptedEnds, untilChildEnds } from './server-watch.ts';

export interface RedisServerLogger {
  info(message: string): void;
  warn(message: string): void;
}

/** An end of the server that nobody asked for. */
export interface RedisServerExit {
  /** What is known of it, as a sentence for a log line. */
  readonly reason: string;
  /** False when it is given up: it failed too often in a row. */
  readonly restarting: boolean;
}

export interface RedisServer {
  /** `unix:` and the absolute path of the socket. The same for the life of this object. */
  readonly url: string;
  readonly socketPath: string;
  readonly program: RedisProgram;
  /** Changes when the server is restarted. */
  readonly pid: number;
  /** Whether it ran already, left by a launcher that was killed. */
  readonly adopted: boolean;
  /** Has the server write what it holds, waits for its end, and frees the directory. */
  stop(): Promise<void>;
  onExit(callback: (exit: RedisServerExit) => void): void;
}

export interface SupervisedServerOptions {
  readonly program: RedisProgram;
  readonly directory: string;
  readonly socketPath: string;
  readonly appendFsync: AppendFsync;
  readonly lock: DirectoryLock;
  readonly adopted: boolean;
  readonly logger: RedisServerLogger | undefined;
}

const FIRST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 5_000;
const RESTARTS_IN_A_ROW = 8;
/** A server that lived this long starts its count of restarts anew. */
const STEADY_MS = 30_000;

/**
 * States: starting → running → (died → starting → running …) → stopping → stopped. `stop` may come in any of them and waits for a start
 * that is under way, so that no server is started behind its back.
 */
export class SupervisedServer implements RedisServer {
  readonly url: string;
  readonly socketPath: string;
  readonly program: RedisProgram;
  readonly adopted: boolean;
  readonly #options: SupervisedServerOptions;
  readonly #callbacks: ((exit: RedisServerExit) => void)[] = [];
  readonly #stopping = new AbortController();
  #process: ProcessIdentity | null = null;
  #restarts = 0;
  #restarting: Promise<unknown> = Promise.resolve();
  #supervision: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(options: SupervisedServerOptions) {
    this.#options = options;
    this.socketPath = options.socketPath;
    this.url = `unix:${options.socketPath}`;
    this.program = options.program;
    this.adopted = options.adopted;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  onExit(callback: (exit: RedisServerExit) => void): void {
    this.#callbacks.push(callback);
  }

  /** Starts a server, or takes on the one that was left. To be called once. */
  async begin(left: ProcessIdentity | null): Promise<void> {
    if (left !== null) await this.#remember(left);
    const end = left === null ? await this.#spawn() : { reason: untilAdoptedEnds(this.socketPath, left) };
    this.#supervision = this.#supervise(end);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Starts a server; answers the promise of its end, boxed so that it is not awaited by accident. */
  async #spawn(): Promise<ServerEnd> {
    const { program, directory, socketPath, appendFsync } = this.#options;
    const child = await spawnServer({ program: program.path, directory, socketPath, appendFsync });
    const identity = child.pid === undefined ? null : await identifyProcess(child.pid);
    if (identity === null) throw new GalleyError('redis_unavailable', 'The Redis server ended just after it had started.');
    await this.#remember(identity);
    return { reason: untilChildEnds(child) };
  }

  async #remember(identity: ProcessIdentity): Promise<void> {
    this.#process = identity;
    await writeRecord(this.#options.directory, { process: identity, socketPath: this.socketPath });
  }

  async #supervise(first: ServerEnd): Promise<void> {
    let end: ServerEnd | null = first;
    while (end !== null) {
      const since = performance.now();
      const reason = await end.reason;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - since > STEADY_MS) this.#restarts = 0;
      this.#tell({ reason, restarting: true });
      const restart = this.#restart();
      this.#restarting = restart;
      end = await restart;
    }
  }

  /** Tries until a server runs; null when it is to stop, or has failed too often in a row. */
  async #restart(): Promise<ServerEnd | null> {
    while (this.#restarts < RESTARTS_IN_A_ROW) {
      const wait = Math.min(FIRST_RESTART_MS * 2 ** this.#restarts, LONGEST_RESTART_MS);
      this.#restarts += 1;
      if (!(await this.#pause(wait))) return null;
      try {
        const end = await this.#spawn();
        this.#options.logger?.info(`Redis runs again (process ${this.pid}).`);
        return end;
      } catch (error) {
        this.#options.logger?.warn(error instanceof Error ? error.message : String(error));
      }
    }
    const reason = `Redis ended or failed to start ${RESTARTS_IN_A_ROW} times in a row; its log is in ${this.#options.directory}.`;
    this.#tell({ reason, restarting: false });
    return null;
  }

  /** Waits; false when the wait was cut short by a stop. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return !signal.aborted;
  }

  #tell(exit: RedisServerExit): void {
    this.#options.logger?.warn(exit.reason);
    for (const callback of this.#callbacks) callback(exit);
  }

  /** The record goes before the lock: whoever takes the directory next must not look for a server that was stopped. */
  async #stop(): Promise<void> {
    const { directory, lock } = this.#options;
    this.#stopping.abort();
    await this.#restarting;
    if (this.#process !== null) await endServer(this.socketPath, this.#process);
    await this.#supervision;
    await removeRecord(directory);
    await removeSocket(directory, this.socketPath);
    await lock.release();
  }
}

interface ServerEnd {
  readonly reason: Promise<string>;
}
