import { documentPayloadSchema, GLM_OCR_QUEUE, OCR_QUEUE } from '@galley/contract';
import { type Connection, connectRedis, createChores, Isolation, inThreads, type Lifecycle, Queue, type Run, Worker } from '@galley/core';
import type { Logger } from 'pino';
import { CallbackWorker } from '../callbacks/callback-worker.ts';
import type { WorkerConfig } from '../config.ts';
import { checkRedisVersion } from './redis-version.ts';

/**
 * Ending a thread in the middle of an inference breaks the whole process: ONNX Runtime's binding throws into a thread that is going, which
 * aborts, or leaves it holding what the next thread waits for. Handlers heed their signal between inferences, each of which takes well
 * under a second, so a thread is only ended where something else never returns.
 */
const ABORT_GRACE_MS = 15_000;

export interface WorkerProcessOptions {
  readonly config: WorkerConfig;
  readonly logger: Logger;
  /** URL of the built module that exports `handlers`. */
  readonly handlersUrl: string;
  readonly version: string;
  /** Hears that handlers can no longer be run here; the worker hands back what it holds meanwhile. */
  readonly onBroken: (why: Error) => void;
}

/**
 * All that one worker process runs: a worker for each queue it serves, since each has slots of its own.
 * States: new → `start` → running → `stop` → stopped; `stop` is welcome in each. What is started last stops first: the workers while
 * chores still reap and promote for everyone, then the chores, and the connection when nobody speaks any more.
 */
export class WorkerProcess {
  readonly #options: WorkerProcessOptions;
  readonly #connection: Connection;
  #chores: Lifecycle | null = null;
  readonly #workers: Worker[] = [];
  #callbacks: CallbackWorker | null = null;
  #starting: Promise<void> = Promise.resolve();
  #stopping = false;
  #giveUp: () => void = () => undefined;
  readonly #givenUp = new Promise<void>((resolve) => {
    this.#giveUp = resolve;
  });

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
    const { logger, config } = options;
    let away = false;
    this.#connection = connectRedis(config.redisUrl, {
      onError: (error) => {
        // Said once for each time it is away; every attempt to reconnect fails the same way.
        if (!away && !this.#stopping) logger.warn({ err: error }, 'Redis is away; it is tried again until it is back');
        away = true;
      },
    });
    this.#connection.onAvailability((up) => {
      if (up && away) logger.info({ event: 'redis back' }, 'Redis is back');
      if (up) away = false;
    });
  }

  /** Resolves when tasks are being claimed, or when `stop` came first. Throws GalleyError where this process cannot serve. */
  async start(): Promise<void> {
    this.#starting = this.#start();
    const started = this.#starting.catch((error: unknown) => {
      if (!this.#stopping) throw error;
    });
    await Promise.race([started, this.#givenUp]);
  }

  /** Waits up to `graceMs` for running tasks and hands the rest back. Called again with a shorter grace it hurries. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#workers.length === 0 && !this.#connection.isUp()) {
      // The start waits for a Redis that is not there, and would for ever.
      this.#giveUp();
      await this.#connection.close();
      return;
    }
    await this.#starting.catch(() => undefined);
    await Promise.all([...this.#workers.map((worker) => worker.stop(graceMs)), this.#callbacks?.stop(graceMs)]);
    await this.#chores?.stop();
    await this.#connection.close();
  }

  async #start(): Promise<void> {
    const { config, logger, version } = this.#options;
    const connection = this.#connection;
    checkRedisVersion(await connection.client.info('server'));
    const served = [{ queue: await this.#openQueue(OCR_QUEUE), slots: config.slots }];
    // It waits for a served model, not for this machine's cores, so its slots are counted apart.
    if (config.glmOcr !== undefined) served.push({ queue: await this.#openQueue(GLM_OCR_QUEUE), slots: config.glmOcr.slots });
    if (this.#stopping) return;
    this.#chores = createChores({ connection, queues: served.map(({ queue }) => queue), logger });
    this.#chores.start();
    const isolation = new Isolation();
    this.#workers.push(...served.map(({ queue, slots }) => this.#workerOf(queue, slots, isolation)));
    await Promise.all(this.#workers.map((worker) => worker.start()));
    const { callbackSecret: secret } = config;
    if (secret !== undefined) this.#callbacks = await CallbackWorker.start({ connection, config, secret, logger, version });
  }

  #openQueue(name: string): Promise<Queue> {
    const { config, logger } = this.#options;
    return Queue.open(this.#connection, name, {
      ...(config.shards === undefined ? {} : { shards: config.shards }),
      ...(config.order === undefined ? {} : { order: config.order }),
      onDisagreement: (sentence) => logger.warn(sentence),
      settings: {
        leaseMs: config.leaseMs,
        timeoutMs: config.timeoutMs,
        resultMs: config.resultMs,
        retentionMs: config.retentionMs,
        crashBudget: config.crashBudget,
        timelines: true,
      },
    });
  }

  #workerOf(queue: Queue, slots: number, isolation: Isolation): Worker {
    const { config, logger, handlersUrl, version, onBroken } = this.#options;
    return new Worker({
      connection: this.#connection,
      queues: [queue],
      slots,
      executor: inThreads({
        handlersUrl,
        threads: slots,
        abortGraceMs: ABORT_GRACE_MS,
        recycle: config.recycle,
        ...(config.threadHeapMb === undefined ? {} : { heapMb: config.threadHeapMb }),
      }),
      version,
      logger,
      isolation,
      nameOf,
      onBroken,
    });
  }
}

function nameOf(run: Run): string | undefined {
  const payload = documentPayloadSchema.safeParse(run.message.payload);
  return payload.success ? payload.data.filename : undefined;
}
