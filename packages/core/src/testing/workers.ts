import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Lifecycle, Logger } from '../maintenance/chore.ts';
import { createChores } from '../maintenance/chores.ts';
import { Queue } from '../queue/queue.ts';
import type { QueueSettings } from '../queue/settings.ts';
import { type Connection, connectRedis } from '../redis/connection.ts';
import { type Executor, inProcess } from '../worker/executor.ts';
import type { Handlers } from '../worker/handler.ts';
import { inThreads, type ThreadOptions } from '../worker/thread-executor.ts';
import { Worker } from '../worker/worker.ts';
import type { WorkerOptions } from '../worker/worker-options.ts';
import { type TestScheduler, until } from './scheduler.ts';

export const HANDLERS_URL = new URL('./fixtures/handlers.mjs', import.meta.url).href;
/** Several that start at once on a busy machine take long. */
const READY_LIMIT_MS = 30_000;
const PROCESS = new URL('./fixtures/worker-process.mjs', import.meta.url);

export function threads(count: number, options: Partial<ThreadOptions> = {}): Executor {
  return inThreads({ handlersUrl: HANDLERS_URL, threads: count, abortGraceMs: 100, ...options });
}

export interface LogLine {
  readonly event?: string;
  readonly [field: string]: unknown;
}

export class MemoryLog implements Logger {
  readonly lines: LogLine[] = [];
  debug(fields: object): void {
    this.keep(fields);
  }
  info(fields: object): void {
    this.keep(fields);
  }
  warn(fields: object): void {
    this.keep(fields);
  }
  error(fields: object): void {
    this.keep(fields);
  }
  of(event: string): LogLine[] {
    return this.lines.filter((line) => line.event === event);
  }
  private keep(fields: object): void {
    this.lines.push({ ...fields });
  }
}

export interface RunningWorker {
  readonly worker: Worker;
  readonly log: MemoryLog;
  /** Stops it at once, its connection too. */
  close(): Promise<void>;
}

export interface WorkerSetup
  extends Partial<Pick<WorkerOptions, 'slots' | 'prefetch' | 'clock' | 'random' | 'exclusive' | 'onBroken' | 'nameOf'>> {
  readonly handlers?: Handlers;
  readonly executor?: Executor;
  readonly settings?: Partial<QueueSettings>;
  readonly connection?: Connection;
  /** Instead of the scheduler's own queue alone; on a connection of their own. */
  readonly queues?: readonly Queue[];
}

/** Workers, processes, chores and files of one test, all ended by `sweep`. */
export class Workshop {
  private readonly closers: (() => Promise<void>)[] = [];

  /** A worker in this process with a connection of its own. */
  async worker(scheduler: TestScheduler, url: string, setup: WorkerSetup = {}): Promise<RunningWorker> {
    const connection = setup.connection ?? connectRedis(url);
    const queue = await Queue.open(connection, scheduler.queue.name, { settings: { ...scheduler.queue.settings, ...setup.settings } });
    const log = new MemoryLog();
    const executor = setup.executor ?? inProcess(setup.handlers ?? {});
    const { handlers: _handlers, settings: _settings, connection: _connection, queues = [queue], ...rest } = setup;
    const worker = new Worker({ slots: 1, ...rest, connection, queues, executor, logger: log });
    const close = async (): Promise<void> => {
      await worker.stop(0);
      await connection.close();
    };
    this.closers.push(close);
    await worker.start();
    return { worker, log, close };
  }

  /** Reaper, promoter and the rest, as every process runs them. */
  async chores(scheduler: TestScheduler, url: string, periodMs = 50): Promise<{ chores: Lifecycle; log: MemoryLog }> {
    const connection = connectRedis(url);
    const queue = await Queue.open(connection, scheduler.queue.name, { settings: scheduler.queue.settings });
    const log = new MemoryLog();
    const chores = createChores({ connection, queues: [queue], logger: log, periodMs });
    chores.start();
    this.closers.push(async () => {
      await chores.stop();
      await connection.close();
    });
    return { chores, log };
  }

  /** A worker process; resolves when it is ready. */
  async process(scheduler: TestScheduler, url: string, options: ProcessOptions = {}): Promise<WorkerProcess> {
    const started = new WorkerProcess(scheduler, url, options);
    this.closers.push(() => started.kill9());
    await started.ready();
    return started;
  }

  /** A file that handlers note their moments in. */
  async journal(): Promise<Journal> {
    const directory = await mkdtemp('/tmp/galley-journal-');
    this.closers.push(() => rm(directory, { recursive: true, force: true }));
    return new Journal(path.join(directory, 'journal'));
  }

  async sweep(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close();
  }
}

export interface ProcessOptions {
  readonly slots?: number;
  readonly threads?: boolean;
  readonly settings?: Partial<QueueSettings>;
  readonly periodMs?: number;
  readonly graceMs?: number;
  readonly chores?: boolean;
}

export class WorkerProcess {
  readonly lines: LogLine[] = [];
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private errors = '';

  constructor(scheduler: TestScheduler, url: string, options: ProcessOptions) {
    const settings = { ...scheduler.queue.settings, ...options.settings };
    const argument = JSON.stringify({ slots: 1, ...options, url, queue: scheduler.queue.name, settings });
    this.child = spawn(process.execPath, [PROCESS.pathname, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = once(this.child, 'exit');
    this.child.stderr?.on('data', (data) => {
      this.errors += String(data);
    });
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.lines.push(JSON.parse(line) as LogLine));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get workerId(): string {
    return String(this.of('ready')[0]?.worker);
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  of(event: string): LogLine[] {
    return this.lines.filter((line) => line.event === event);
  }

  async ready(): Promise<void> {
    await until(
      `the worker process is ready ${this.errors}`,
      () => {
        if (this.child.exitCode !== null) throw new Error(`the worker process ended: ${this.errors}`);
        return Promise.resolve(this.of('ready').length > 0);
      },
      READY_LIMIT_MS,
    );
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async exit(): Promise<number | null> {
    await this.ended;
    return this.child.exitCode;
  }

  async kill9(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

export interface Moment {
  readonly word: string;
  readonly id: string;
  readonly fence: number;
  readonly pid: number;
  readonly threadId: number;
  readonly at: number;
}

export class Journal {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  async read(): Promise<Moment[]> {
    const text = await readFile(this.file, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Moment]));
  }

  /** Waits until a moment of this name has been noted `times`. */
  async until(word: string, times = 1, withinMs = 10_000): Promise<Moment[]> {
    return until(
      `${word} is noted ${times} times`,
      async () => {
        const found = (await this.read()).filter((moment) => moment.word === word);
        return found.length >= times ? found : null;
      },
      withinMs,
    );
  }
}
