import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Connection, connectRedis, listWorkers, Queue, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';

const GALLEY = path.resolve(import.meta.dirname, '../../bin/galley.mjs');
const WORKER = path.resolve(import.meta.dirname, 'fixtures/worker.mjs');
const LOOK_EVERY_MS = 20;

export interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Runs the galley command as a person does, with a bare environment. */
export async function galley(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [GALLEY, ...args], { env: { PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (errors += String(data)));
  await once(child, 'close');
  return { code: child.exitCode, out, errors };
}

/** A Redis and a data directory of their own, a queue, and worker processes whose logs lie where the launcher puts them. */
export class Stage {
  readonly redis: TemporaryRedisServer;
  readonly dataDirectory: string;
  readonly connection: Connection;
  readonly queue: Queue;
  private readonly workers: ChildProcess[] = [];

  static async open(shards: number): Promise<Stage> {
    const redis = await startTemporaryRedisServer();
    const connection = connectRedis(redis.url);
    return new Stage(redis, connection, await Queue.open(connection, 'pages', { shards }));
  }

  private constructor(redis: TemporaryRedisServer, connection: Connection, queue: Queue) {
    this.redis = redis;
    this.connection = connection;
    this.queue = queue;
    this.dataDirectory = mkdtempSync('/tmp/galley-cli-test-');
  }

  get logDirectory(): string {
    return path.join(this.dataDirectory, 'logs');
  }

  /** Starts worker processes and waits until all of them are listed. */
  async work(options: { workers: number; slots: number; taskMs: number }): Promise<void> {
    await mkdir(this.logDirectory, { recursive: true });
    for (let number = 1; number <= options.workers; number++) {
      const argument = JSON.stringify({ url: this.redis.url, queue: this.queue.name, ...options });
      const log = openSync(path.join(this.logDirectory, `worker-${number}.log`), 'a');
      this.workers.push(spawn(process.execPath, [WORKER, argument], { stdio: ['ignore', log, 'inherit'] }));
    }
    while ((await listWorkers(this.connection)).length < options.workers)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }

  async submit(count: number): Promise<string[]> {
    const tasks = await Promise.all(Array.from({ length: count }, () => this.queue.submit('wait', null)));
    return tasks.map(({ id }) => id);
  }

  /** `galley verify` of this stage's Redis and logs. */
  verify(...args: string[]): Promise<Answer> {
    return galley(['verify', '--redis', this.redis.url, '--data-dir', this.dataDirectory, ...args]);
  }

  async close(): Promise<void> {
    for (const worker of this.workers) {
      const ended = once(worker, 'exit');
      worker.kill('SIGKILL');
      await ended;
    }
    await this.connection.close();
    await this.redis.stop();
    await rm(this.dataDirectory, { recursive: true, force: true });
  }
}
