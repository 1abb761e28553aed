import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BlobStore, createLocalBlobStore } from '@galley/blobs';
import {
  DOCUMENT_TASK,
  type DocumentPayload,
  OCR_QUEUE,
  type StoredDocument,
  type StoredPage,
  storedResultSchema,
  type TaskState,
} from '@galley/contract';
import {
  type Connection,
  connectRedis,
  Feed,
  Inspector,
  Queue,
  type QueueSettings,
  type SubmitOptions,
  startTemporaryRedisServer,
  type TaskView,
  type TemporaryRedisServer,
} from '@galley/core';
import { blobDirectory } from '../tools/tools.ts';
import { SpawnedWorker } from './spawned-worker.ts';

export interface StageOptions {
  /** For every worker of the stage. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly settings?: Partial<QueueSettings>;
  /** Where what is submitted goes; `ocr` when left out. */
  readonly queue?: string;
}

/** A Redis, a data directory and a queue of their own, and the workers that a test starts on them. */
export class Stage {
  readonly redis: TemporaryRedisServer;
  readonly dataDirectory: string;
  readonly connection: Connection;
  readonly queue: Queue;
  readonly inspector: Inspector;
  readonly blobs: BlobStore;
  readonly #feed: Feed;
  readonly #workers: SpawnedWorker[] = [];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #listeners = new Set<() => void>();

  static async open(options: StageOptions = {}): Promise<Stage> {
    const redis = await startTemporaryRedisServer();
    const dataDirectory = await mkdtemp('/tmp/galley-worker-test-');
    const connection = connectRedis(redis.url);
    const queue = await Queue.open(connection, options.queue ?? OCR_QUEUE, { settings: { timelines: true, ...options.settings } });
    const stage = new Stage(redis, dataDirectory, connection, queue, options.environment ?? {});
    await stage.#feed.follow(queue.layout);
    return stage;
  }

  private constructor(
    redis: TemporaryRedisServer,
    dataDirectory: string,
    connection: Connection,
    queue: Queue,
    environment: Readonly<Record<string, string>>,
  ) {
    this.redis = redis;
    this.dataDirectory = dataDirectory;
    this.connection = connection;
    this.queue = queue;
    this.inspector = new Inspector(connection, queue.layout);
    this.blobs = createLocalBlobStore({ directory: blobDirectory(dataDirectory) });
    this.#environment = environment;
    this.#feed = new Feed(connection, {
      onEvent: () => {
        for (const listener of this.#listeners) listener();
      },
    });
  }

  startWorker(environment: Readonly<Record<string, string>> = {}): SpawnedWorker {
    const worker = new SpawnedWorker({
      GALLEY_REDIS_URL: this.redis.url,
      GALLEY_DATA_DIR: this.dataDirectory,
      GALLEY_SLOTS: '1',
      ...this.#environment,
      ...environment,
    });
    this.#workers.push(worker);
    return worker;
  }

  async submitFile(
    bytes: Uint8Array,
    options: SubmitOptions & Partial<Pick<DocumentPayload, 'filename' | 'engine'>> = {},
  ): Promise<string> {
    const { filename = 'page.png', engine = 'auto', ...submit } = options;
    const { sha256, size } = await this.blobs.put(bytes);
    const payload = { filename, sha256, size_bytes: size, engine } satisfies DocumentPayload;
    return (await this.queue.submit(DOCUMENT_TASK, payload, submit)).id;
  }

  async submitUrl(address: string, options: SubmitOptions = {}): Promise<string> {
    return (await this.queue.submit(DOCUMENT_TASK, { image_url: address, engine: 'auto' } satisfies DocumentPayload, options)).id;
  }

  /** Waits for an event after which the task fits. */
  async until(id: string, fits: (task: TaskView) => boolean): Promise<TaskView> {
    for (;;) {
      const moved = new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
      const task = await this.inspector.get(id);
      if (task !== null && fits(task)) return task;
      await moved;
    }
  }

  reaches(id: string, state: TaskState): Promise<TaskView> {
    return this.until(id, (task) => task.state === state);
  }

  /** The result, from its blob where it lies in one. */
  async result(id: string): Promise<StoredDocument | StoredPage> {
    const held = await this.inspector.result(id);
    if (held === null) throw new Error(`task ${id} holds no result`);
    const stored = storedResultSchema.parse(JSON.parse(held.value));
    if (stored.kind !== 'blob') return stored;
    const inner = storedResultSchema.parse(JSON.parse(Buffer.from(await this.blobs.read(stored.sha256)).toString('utf8')));
    if (inner.kind === 'blob') throw new Error('a pointer leads to a pointer');
    return inner;
  }

  async document(id: string): Promise<StoredDocument> {
    const result = await this.result(id);
    if (result.kind !== 'document') throw new Error(`task ${id} holds a ${result.kind}`);
    return result;
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) await worker.kill9();
    this.#feed.close();
    await this.connection.close();
    await this.redis.stop();
    await rm(this.dataDirectory, { recursive: true, force: true });
  }
}

/** The folder of shared samples: by GALLEY_SHARED_DIR, or beside the checkout. */
export function sharedDirectory(): string {
  return process.env['GALLEY_SHARED_DIR'] ?? path.resolve(import.meta.dirname, '../../../../../shared');
}
