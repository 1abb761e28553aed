import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainFailure } from '../failure.mjs';
import { addressOf, LAUNCHER_ONLY } from '../settings.mjs';
import { ChildProgram } from './child-program.mjs';
import { ensurePortFree } from './port.mjs';
import { provideRedis } from './provide-redis.mjs';

const READY_LIMIT_MS = 120_000;
const READY_POLL_MS = 50;
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
   * Resolves with the address once the server says that it is ready.
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
    await this.#makeDataDirectory();
    await ensurePortFree(settings);
    if (this.#stopping.signal.aborted) throw stopped();
    const programs = this.#options.programs ?? {
      server: path.join(root, 'apps/server/dist/main.js'),
      worker: path.join(root, 'apps/worker/dist/main.js'),
    };
    this.#redis = await provideRedis({ settings, root, logDirectory: this.#logDirectory, say, onGiveUp: this.#giveUp });
    if (this.#stopping.signal.aborted) throw stopped();
    this.#server = this.#program('server', programs.server);
    this.#workers = Array.from({ length: settings.workers }, (_, index) => this.#program(`worker-${index + 1}`, programs.worker));
    const address = addressOf(settings);
    await Promise.race([
      this.#untilReady(`${address}/readyz`),
      this.failed.then((reason) => {
        throw new PlainFailure(reason);
      }),
    ]);
    return address;
  }

  async #makeDataDirectory() {
    const { dataDirectory } = this.#options.settings;
    try {
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new PlainFailure(`The data directory ${dataDirectory} cannot be made: ${reason}. Choose another with GALLEY_DATA_DIR.`);
    }
  }

  /**
   * @param {string} name
   * @param {string} program
   */
  #program(name, program) {
    const { root, settings, environment, say } = this.#options;
    const own = {
      GALLEY_REDIS_URL: this.#redis?.url,
      GALLEY_DATA_DIR: settings.dataDirectory,
      GALLEY_HOST: settings.host,
      GALLEY_PORT: String(settings.port),
      GALLEY_GRACE_MS: String(settings.graceMs),
    };
    const passed = Object.fromEntries(Object.entries(environment).filter(([variable]) => !LAUNCHER_ONLY.includes(variable)));
    return new ChildProgram({
      name,
      program,
      environment: { ...passed, ...own },
      cwd: root,
      logDirectory: this.#logDirectory,
      say,
      onGiveUp: this.#giveUp,
    });
  }

  /** @param {string} url */
  async #untilReady(url) {
    const { signal } = this.#stopping;
    const deadline = performance.now() + READY_LIMIT_MS;
    let answer = 'no answer';
    while (!signal.aborted) {
      answer = await askReadiness(url);
      if (answer === 'ready') return;
      if (performance.now() > deadline) {
        throw new PlainFailure(
          `Galley was not ready after ${READY_LIMIT_MS / 1000} s (${url}: ${answer}). The logs are in ${this.#logDirectory}.`,
        );
      }
      await delay(READY_POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    throw stopped();
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

/** @param {string} url */
async function askReadiness(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    const body = await response.text();
    return response.ok ? 'ready' : `${response.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  }
}
