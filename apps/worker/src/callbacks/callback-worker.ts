import { CALLBACK_QUEUE, CALLBACK_TASK, callbackPayloadSchema } from '@galley/contract';
import { type Connection, createChores, type Handlers, inProcess, type Lifecycle, Queue, Worker } from '@galley/core';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../config.ts';
import type { Resolve } from '../fetch/guard.ts';
import { parsePayload } from '../tasks/payload.ts';
import { deliverCallback } from './deliver.ts';

/** Deliveries at once. They wait for other people's servers, so they cost next to nothing here. */
const SLOTS = 16;
const SHARDS = 2;

export interface CallbackWorkerOptions {
  readonly connection: Connection;
  readonly config: WorkerConfig;
  readonly secret: string;
  readonly logger: Logger;
  readonly version: string;
  readonly resolve?: Resolve;
  readonly limitMs?: number;
}

/** Delivers callbacks beside the documents, with slots of its own, so that a slow receiver holds up no document. */
export class CallbackWorker {
  readonly #worker: Worker;
  readonly #chores: Lifecycle;

  static async start(options: CallbackWorkerOptions): Promise<CallbackWorker> {
    const { connection, config, logger } = options;
    const queue = await Queue.open(connection, CALLBACK_QUEUE, {
      shards: SHARDS,
      settings: { leaseMs: config.leaseMs, retentionMs: config.retentionMs, crashBudget: config.crashBudget, timelines: true },
    });
    const chores = createChores({ connection, queues: [queue], logger });
    const executor = inProcess(handlersOf(options));
    const worker = new Worker({ connection, queues: [queue], slots: SLOTS, executor, version: options.version, logger });
    chores.start();
    await worker.start();
    return new CallbackWorker(worker, chores);
  }

  private constructor(worker: Worker, chores: Lifecycle) {
    this.#worker = worker;
    this.#chores = chores;
  }

  async stop(graceMs: number): Promise<void> {
    await this.#worker.stop(graceMs);
    await this.#chores.stop();
  }
}

function handlersOf({ config, secret, resolve, limitMs }: CallbackWorkerOptions): Handlers {
  return {
    [CALLBACK_TASK]: async (context) => {
      const payload = parsePayload(callbackPayloadSchema, context.payload);
      const status = await deliverCallback(payload, {
        secret,
        allow: config.urlAllow,
        signal: context.signal,
        deliveryId: context.id,
        ...(resolve === undefined ? {} : { resolve }),
        ...(limitMs === undefined ? {} : { limitMs }),
      });
      // Held for a while, so that the same callback is not begun again.
      return { status };
    },
  };
}
