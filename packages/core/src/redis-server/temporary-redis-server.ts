import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { GalleyError } from '@galley/contract';
import { findRedisServer } from './find-redis-server.ts';
import { requestShutdown } from './server-client.ts';
import { type AppendFsync, type ServerSettings, spawnServer, untilExit } from './server-process.ts';

export interface TemporaryRedisServerOptions {
  /** How its data is written to disk; `null`, the default, writes nothing, so a restart begins empty. */
  readonly appendfsync?: AppendFsync | null;
  /** Folders to find redis-server in; PATH when left out. */
  readonly searchPath?: string | undefined;
}

/** A Redis for one test file, with the faults that tests need. */
export interface TemporaryRedisServer {
  /** `unix:` and the absolute path of the socket; kept over restarts. */
  readonly url: string;
  readonly socketPath: string;
  /** Its own folder under the system's temporary one. */
  readonly directory: string;
  readonly pid: number;
  /** Ends it as a power cut would; resolves when it is gone. */
  kill9(): Promise<void>;
  /** Starts it again over what is on disk, ending it in order first when it runs. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a Redis in a fresh folder that `stop` removes. Where the process ends first, both go with it, unless it is killed. */
export async function startTemporaryRedisServer(options: TemporaryRedisServerOptions = {}): Promise<TemporaryRedisServer> {
  const program = await findRedisServer(options.searchPath);
  // Not os.tmpdir(): a runner may set TMPDIR to a path too long for a socket.
  const directory = await mkdtemp('/tmp/galley-redis-');
  const socketPath = path.join(directory, 'redis.sock');
  const settings = { program: program.path, directory, socketPath, appendFsync: options.appendfsync ?? null };
  const server = new TemporaryServer(settings);
  try {
    await server.restart();
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return server;
}

class TemporaryServer implements TemporaryRedisServer {
  readonly url: string;
  readonly socketPath: string;
  readonly directory: string;
  readonly #settings: ServerSettings;
  readonly #killAtExit = (): void => {
    this.#child?.kill('SIGKILL');
    // It may still make a file in the moment that it is killed.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
  };
  #child: ChildProcess | null = null;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.directory = settings.directory;
    this.socketPath = settings.socketPath;
    this.url = `unix:${settings.socketPath}`;
    process.once('exit', this.#killAtExit);
  }

  get pid(): number {
    return this.#running().pid ?? 0;
  }

  async kill9(): Promise<void> {
    const child = this.#running();
    child.kill('SIGKILL');
    await this.#ended(child);
  }

  async restart(): Promise<void> {
    await this.#end();
    this.#child = await spawnServer(this.#settings);
  }

  pause(): void {
    this.#running().kill('SIGSTOP');
  }

  resume(): void {
    this.#running().kill('SIGCONT');
  }

  async stop(): Promise<void> {
    process.off('exit', this.#killAtExit);
    await this.#end();
    await rm(this.directory, { recursive: true, force: true });
  }

  #running(): ChildProcess {
    if (this.#child === null) throw new GalleyError('redis_unavailable', 'This temporary Redis is not running.');
    return this.#child;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.kill('SIGCONT');
    if (this.#settings.appendFsync === null) child.kill('SIGKILL');
    else await requestShutdown(this.socketPath);
    await this.#ended(child);
  }

  async #ended(child: ChildProcess): Promise<void> {
    await untilExit(child);
    this.#child = null;
  }
}
