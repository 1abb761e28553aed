import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { type BlobStore, createLocalBlobStore } from '@galley/blobs';
import { OCR_QUEUE } from '@galley/contract';
import {
  type Connection,
  connectRedis,
  type Handlers,
  inProcess,
  Queue,
  startTemporaryRedisServer,
  type TemporaryRedisServer,
  Worker,
} from '@galley/core';
import { pino } from 'pino';
import { parseConfig } from '../config.ts';
import { type GalleyServer, startServer } from '../server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface UploadFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const PNG_HEAD = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Bytes that claim to be a PNG; `mark` makes them differ from another's. */
export function pngBytes(mark: string, size = 64): Uint8Array {
  const bytes = Buffer.alloc(size, mark);
  bytes.set(PNG_HEAD);
  return bytes;
}

/** A server on a free port with a Redis, a data directory and workers of its own, as one test file needs it. */
export class TestServer {
  readonly redis: TemporaryRedisServer;
  readonly server: GalleyServer;
  readonly directory: string;
  readonly base: string;
  readonly blobs: BlobStore;
  readonly connection: Connection;
  private readonly workers: Worker[] = [];
  token: string | null = null;

  /** Whether Redis and the directory are another test server's, who stops them. */
  private readonly shares: boolean;

  private constructor(redis: TemporaryRedisServer, server: GalleyServer, directory: string, shares: boolean) {
    this.shares = shares;
    this.redis = redis;
    this.server = server;
    this.directory = directory;
    this.base = server.address;
    this.blobs = createLocalBlobStore({ directory: path.join(directory, 'blobs') });
    this.connection = connectRedis(redis.url);
  }

  /** `settings`: GALLEY_* beside those that every test needs. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
    const [redis, directory] = await Promise.all([startTemporaryRedisServer(), mkdtemp('/tmp/galley-server-')]);
    return TestServer.over(redis, directory, settings, false);
  }

  /** Another server over the Redis and the files of `other`, which is to be stopped after it. */
  static beside(other: TestServer, settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
    return TestServer.over(other.redis, other.directory, settings, true);
  }

  private static async over(
    redis: TemporaryRedisServer,
    directory: string,
    settings: Readonly<Record<string, string>>,
    shares: boolean,
  ): Promise<TestServer> {
    const environment = {
      GALLEY_REDIS_URL: redis.url,
      GALLEY_PORT: '0',
      GALLEY_DATA_DIR: directory,
      GALLEY_LOG_LEVEL: 'fatal',
      ...settings,
    };
    const config = parseConfig(environment);
    const server = await startServer(config, pino({ level: config.logLevel }));
    await server.opened;
    return new TestServer(redis, server, directory, shares);
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop(0)));
    await this.connection.close();
    await this.server.stop();
    if (this.shares) return;
    await this.redis.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Starts a worker of core's in this process. */
  async work(handlers: Handlers, slots = 4): Promise<Worker> {
    const queue = await Queue.open(this.connection, OCR_QUEUE, { settings: { timelines: true } });
    const worker = new Worker({ connection: this.connection, queues: [queue], executor: inProcess(handlers), slots, version: 'test' });
    this.workers.push(worker);
    await worker.start();
    return worker;
  }

  async call(method: string, address: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(this.base + address, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return readAnswer(response);
  }

  async upload(files: readonly UploadFile[], fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of files) form.append('file', new Blob([file.bytes]), file.name);
    const headers: Record<string, string> = this.token === null ? {} : { authorization: `Bearer ${this.token}` };
    return readAnswer(await fetch(`${this.base}/api/v1/documents`, { method: 'POST', body: form, headers }));
  }

  /** A request whose headers are sent as they are given: fetch sets Host and Origin itself. */
  raw(method: string, address: string, headers: Readonly<Record<string, string>>, body?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const url = new URL(this.base);
      const sent = httpRequest({ host: url.hostname, port: url.port, method, path: address, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Everything that lies in the blob store, half-written files too. */
  async storedFiles(): Promise<string[]> {
    const entries = await readdir(path.join(this.directory, 'blobs'), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? (JSON.parse(text) as unknown) : text };
}
