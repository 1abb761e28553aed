import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ChildLog } from './child-log.mjs';

const FIRST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 10_000;
/** Dying this often within this time is no accident: everything is stopped, and the reason is shown. */
const DEATHS_TO_GIVE_UP = 5;
const DEATHS_WITHIN_MS = 30_000;

/**
 * @typedef {object} ChildProgramOptions
 * @property {string} name for log lines and the log's file
 * @property {string} program path of the script that Node runs
 * @property {Readonly<Record<string, string | undefined>>} environment all of it
 * @property {string} cwd
 * @property {string} logDirectory
 * @property {(line: string) => void} say
 * @property {(reason: string) => void} onGiveUp called once when it dies again and again
 */

/**
 * One program of the stack, started again when it dies.
 * It leads a process group of its own, so that Ctrl-C in a terminal reaches the launcher alone and the launcher decides the order; and it has
 * an IPC channel, whose closing tells it that the launcher was killed.
 * States: running → (died → waiting → running …) → stopping → stopped.
 */
export class ChildProgram {
  #options;
  #log;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  /** @type {number[]} */
  #deaths = [];
  #stopping = new AbortController();
  #restarting = false;
  #supervision;

  /** @param {ChildProgramOptions} options */
  constructor(options) {
    this.#options = options;
    this.#log = new ChildLog({ directory: options.logDirectory, name: options.name, say: options.say });
    this.#supervision = this.#supervise();
  }

  get name() {
    return this.#options.name;
  }

  /** Null while it is dead. */
  get pid() {
    return this.#child?.pid ?? null;
  }

  /**
   * Asks it to stop, and ends it when it takes longer than that. Resolves when it is gone.
   * @param {number} limitMs
   */
  async stop(limitMs) {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    const over = new AbortController();
    const limit = delay(limitMs, undefined, { signal: over.signal }).then(
      () => {
        this.#options.say(`${this.name} did not stop within ${Math.round(limitMs / 1000)} s and is ended.`);
        this.kill();
      },
      () => undefined,
    );
    await this.#supervision;
    over.abort();
    await limit;
  }

  /** Ends it at once, with whatever it has started. */
  kill() {
    this.#stopping.abort();
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  /** Has it stop in order and start anew, for the code that was just built. */
  restart() {
    this.#restarting = true;
    this.#child?.kill('SIGTERM');
  }

  async #supervise() {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const ending = await this.#run();
      if (signal.aborted) break;
      if (this.#restarting) {
        this.#restarting = false;
        continue;
      }
      const wait = this.#countDeath(ending);
      if (wait === null) break;
      await delay(wait, undefined, { signal }).catch(() => undefined);
    }
    this.#log.close();
  }

  /** Runs it once; answers how it ended. */
  async #run() {
    const { program, environment, cwd } = this.#options;
    this.#log.begin();
    const child = spawn(process.execPath, ['--enable-source-maps', program], {
      cwd,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name]?.setEncoding('utf8').on('data', (/** @type {string} */ text) => this.#log.take(name, text));
    }
    const ending = await new Promise((/** @type {(ending: string) => void} */ resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : String(signal)));
    });
    this.#child = null;
    this.#log.flush();
    return ending;
  }

  /**
   * How long to wait before it is started again; null when it is given up.
   * @param {string} ending
   */
  #countDeath(ending) {
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < DEATHS_WITHIN_MS), now];
    const count = this.#deaths.length;
    if (count >= DEATHS_TO_GIVE_UP) {
      const lines = this.#log.lastLines.map((line) => `  ${line}`).join('\n');
      this.#options.onGiveUp(
        `${this.name} ended ${count} times within ${DEATHS_WITHIN_MS / 1000} s (${ending}). Its last lines:\n${lines}\nAll of it is in ${this.#log.file}.`,
      );
      return null;
    }
    this.#options.say(`${this.name} ended unexpectedly (${ending}) and is started again.`);
    return Math.min(FIRST_RESTART_MS * 2 ** (count - 1), LONGEST_RESTART_MS);
  }
}
