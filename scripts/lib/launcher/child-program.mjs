import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { ChildLog } from './child-log.mjs';

const FIRST_RESTART_MS = 100;
const LONGEST_RESTART_MS = 30_000;
/** What has run for this long and dies then is not taken to die of the same thing again. */
const STEADY_MS = 60_000;
/** With this exit code a program says that its settings are at fault; they will be the same the next time. */
const EXIT_MISCONFIGURED = 2;

/**
 * @typedef {object} ChildProgramOptions
 * @property {string} name for log lines and the log's file
 * @property {string} program path of the script that Node runs
 * @property {Readonly<Record<string, string | undefined>>} environment all of it
 * @property {string} cwd
 * @property {string} logDirectory
 * @property {(line: string) => void} say
 * @property {() => boolean} mayStartAgain whether it is started again when it dies now; one that never ran is given up
 * @property {(reason: string) => void} onGiveUp called once when it is not started again
 */

/**
 * One program of the stack, started again when it dies, for ever and ever more slowly: what ails it may pass.
 * It leads a process group of its own, so that Ctrl-C in a terminal reaches the launcher alone and the launcher decides the order; and it has
 * an IPC channel, whose closing tells it that the launcher was killed.
 * States: running → (died → waiting → running …) → stopping → stopped.
 */
export class ChildProgram {
  #options;
  #log;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  /** Deaths in a row. */
  #deaths = 0;
  #stopping = new AbortController();
  #restarting = false;
  /** Ends the waiting before the next start. */
  #wake = new AbortController();
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
    this.#wake.abort();
    if (this.#child === null) return;
    this.#restarting = true;
    this.#child.kill('SIGTERM');
  }

  async #supervise() {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const ending = await this.#run();
      if (signal.aborted) break;
      if (this.#restarting) {
        this.#restarting = false;
        continue;
      }
      if (ending.exitCode === EXIT_MISCONFIGURED || !this.#options.mayStartAgain()) {
        this.#giveUp(ending);
        break;
      }
      if (performance.now() - startedAt > STEADY_MS) this.#deaths = 0;
      this.#wake = new AbortController();
      const wait = this.#countDeath(ending.words);
      await delay(wait, undefined, { signal: AbortSignal.any([signal, this.#wake.signal]) }).catch(() => undefined);
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
    const ending = await new Promise((/** @type {(ending: { exitCode: number | null, words: string }) => void} */ resolve) => {
      child.once('error', (error) => resolve({ exitCode: null, words: error.message }));
      child.once('close', (code, signal) => resolve({ exitCode: code, words: signal === null ? `exit code ${code}` : String(signal) }));
    });
    this.#child = null;
    this.#log.flush();
    return ending;
  }

  /**
   * How long to wait before it is started again, in milliseconds.
   * @param {string} ending
   */
  #countDeath(ending) {
    this.#deaths += 1;
    const wait = Math.min(FIRST_RESTART_MS * 2 ** (this.#deaths - 1), LONGEST_RESTART_MS);
    const again = this.#deaths === 1 ? '.' : ` in ${wait / 1000} s, ${this.#deaths} times in a row now; its log is ${this.#log.file}.`;
    this.#options.say(`warning: ${this.name} ended unexpectedly (${ending}) and is started again${again}`);
    return wait;
  }

  /** @param {{ exitCode: number | null, words: string }} ending */
  #giveUp({ exitCode, words }) {
    const { file, lastLines, hasShown } = this.#log;
    const fault = exitCode === EXIT_MISCONFIGURED ? `as it is set up (${words})` : `(${words} before Galley was ready)`;
    // What is on the terminal already is not said again.
    const said = hasShown ? 'Why is said above; all' : `Its last lines:\n${lastLines.map((line) => `  ${line}`).join('\n')}\nAll`;
    this.#options.onGiveUp(`${this.name} does not run ${fault}. ${said} of it is in ${file}.`);
  }
}
