import path from 'node:path';
import { makeDataDirectory } from '../data-directory.mjs';
import { PlainFailure } from '../failure.mjs';
import { addressOf, LAUNCHER_ONLY } from '../settings.mjs';
import { ChildProgram } from './child-program.mjs';
import { ensurePortFree } from './port.mjs';
import { provideRedis } from './provide-redis.mjs';
import { untilServerReady, untilWorkersListed } from './readiness.mjs';
import { checkSettings } from './settings-check.mjs';

const SERVER_STOP_MS = 10_000;
/** What a worker needs past its grace period to hand its tasks back and end. */
const GRACE_MARGIN_MS = 5_000;

/**
 * @typedef {object} StackOptions
 * @property {string} root
 * @property {import('../settings.mjs').LauncherSettings} settings
 * @property {Readonly<Record<string, string | undefined>>} environment passed on to server and workers
 * @property {(line: string) => void} say
 * @property {{ server: string, worker: string }} [programs] paths of their scripts
 */

/**
 * Redis, one server and the workers, as one thing that starts and stops.
 *
 * They start in that order, each when what it needs is there. They stop in the opposite one: the server first, so that nothing new is
 * accepted; then the workers, which finish their tasks or hand them back; Redis last, when nobody writes to it any more.
 */
export class Stack {
  #options;
  #logDirectory;
  #stopping = new AbortController();
  /** @type {import('./provide-redis.mjs').ProvidedRedis | null} */
  #redis = null;
  /** @type {ChildProgram | null} */
  #server = null;
  /** @type {ChildProgram[]} */
  #workers = [];
  /** @type {(reason: string) => void} */
  #giveUp = () => undefined;
  /** @type {Promise<unknown>} */
  #starting = Promise.resolve();
  /** @type {Promise<void> | undefined} */
  #stopped;
  #hasBeenReady = false;

  /**
   * Resolves with the reason when a part cannot be kept running. Whoever holds the stack then stops it.
   * @type {Promise<string>}
   */
  failed = new Promise((resolve) => {
    this.#giveUp = resolve;
  });

  /** @param {StackOptions} options */
  constructor(options) {
    this.#options = options;
    this.#logDirectory = path.join(options.settings.dataDirectory, 'logs');
  }

  /**
   * Resolves with the address once the server says that it is ready and lists the workers. What dies later is started again.
   * @returns {Promise<string>}
   */
  start() {
    const start = this.#start();
    this.#starting = start.catch(() => undefined);
    return start;
  }

  /** Stops all of it, in order, whatever state it is in. Resolves when no process is left. */
  stop() {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** For those who will not wait: ends server and workers at once. Their tasks run again after the next start; Redis still stops in order. */
  hurry() {
    this.#server?.kill();
    for (const worker of this.#workers) worker.kill();
  }

  /** Has server and workers start anew, for code that was just built. */
  restartPrograms() {
    this.#server?.restart();
    for (const worker of this.#workers) worker.restart();
  }

  /** The processes that run now, for tests that kill them. */
  get pids() {
    return { redis: this.#redis?.pid ?? null, server: this.#server?.pid ?? null, workers: this.#workers.map((worker) => worker.pid) };
  }

  get redisUrl() {
    return this.#redis?.url ?? null;
  }

  async #start() {
    const { root, settings, say } = this.#options;
    const { signal } = this.#stopping;
    const programs = this.#options.programs ?? {
      server: path.join(root, 'apps/server/dist/main.js'),
      worker: path.join(root, 'apps/worker/dist/main.js'),
    };
    await makeDataDirectory(settings.dataDirectory);
    await this.#checkSettings(Object.values(programs));
    await ensurePortFree(settings);
    if (signal.aborted) throw stopped();
    this.#redis = await provideRedis({ settings, root, logDirectory: this.#logDirectory, say, onGiveUp: this.#giveUp });
    if (signal.aborted) throw stopped();
    const environment = this.#environmentFor(this.#redis.url);
    this.#server = this.#program('server', programs.server, environment);
    this.#workers = Array.from({ length: settings.workers }, (_, index) =>
      this.#program(`worker-${index + 1}`, programs.worker, environment),
    );
    const address = addressOf(settings);
    await Promise.race([
      this.#untilReady(address),
      this.failed.then((reason) => {
        throw new PlainFailure(reason);
      }),
    ]);
    return address;
  }

  /** @param {readonly string[]} programs */
  async #checkSettings(programs) {
    const { root, settings } = this.#options;
    const { signal } = this.#stopping;
    try {
      // Galley's own Redis does not run yet; any address that they take will do.
      const environment = this.#environmentFor(settings.redisUrl ?? `unix:${settings.dataDirectory}/redis/redis.sock`);
      await checkSettings({ programs, environment, cwd: root, signal });
    } catch (error) {
      throw signal.aborted ? stopped() : error;
    }
  }

  /** @param {string} redisUrl */
  #environmentFor(redisUrl) {
    const { settings, environment } = this.#options;
    const passed = Object.fromEntries(Object.entries(environment).filter(([variable]) => !LAUNCHER_ONLY.includes(variable)));
    return {
      ...passed,
      GALLEY_REDIS_URL: redisUrl,
      GALLEY_DATA_DIR: settings.dataDirectory,
      GALLEY_HOST: settings.host,
      GALLEY_PORT: String(settings.port),
      GALLEY_GRACE_MS: String(settings.graceMs),
    };
  }

  /**
   * @param {string} name
   * @param {string} program
   * @param {Readonly<Record<string, string | undefined>>} environment
   */
  #program(name, program, environment) {
    return new ChildProgram({
      name,
      program,
      environment,
      cwd: this.#options.root,
      logDirectory: this.#logDirectory,
      say: this.#options.say,
      mayStartAgain: () => this.#hasBeenReady,
      onGiveUp: this.#giveUp,
    });
  }

  /** @param {string} address */
  async #untilReady(address) {
    const logDirectory = this.#logDirectory;
    const { signal } = this.#stopping;
    await untilServerReady({ address, logDirectory, signal });
    await untilWorkersListed({ address, pids: () => this.pids.workers, logDirectory, say: this.#options.say, signal });
    if (signal.aborted) throw stopped();
    this.#hasBeenReady = true;
  }

  async #stop() {
    this.#stopping.abort();
    await this.#starting;
    await this.#server?.stop(SERVER_STOP_MS);
    await Promise.all(this.#workers.map((worker) => worker.stop(this.#options.settings.graceMs + GRACE_MARGIN_MS)));
    await this.#redis?.stop();
  }
}

function stopped() {
  return new PlainFailure('Galley was stopped while it started.');
}
