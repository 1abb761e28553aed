import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GalleyError } from '@galley/contract';
import { ping } from './server-client.ts';

export type AppendFsync = 'always' | 'everysec';

export interface ServerSettings {
  /** Absolute path of redis-server or valkey-server. */
  readonly program: string;
  /** Where its data and its log lie. */
  readonly directory: string;
  /** Under 100 bytes: the kernel takes 108 at most. */
  readonly socketPath: string;
  /** `null`: nothing is written to disk. */
  readonly appendFsync: AppendFsync | null;
}

export const SERVER_LOG = 'redis.log';

const READY_POLL_MS = 15;
const START_LIMIT_MS = 20_000;

/** How a server process ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a server that only this user reaches, and waits until it answers. Reading a large log at start may take minutes; it is waited for.
 * The process leads a group of its own, so that Ctrl-C in a terminal does not take Redis away before the workers have stopped.
 * @throws GalleyError `redis_unavailable` with the end of its log when it does not start
 */
export async function spawnServer(settings: ServerSettings): Promise<ChildProcess> {
  const child = spawn(settings.program, serverArguments(settings), { detached: true, stdio: 'ignore', cwd: settings.directory });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(new GalleyError('redis_unavailable', `${settings.program} could not be started.`, { cause })));
    child.once('exit', () => reject(new GalleyError('redis_unavailable', `${settings.program} ended while it started.`)));
  });
  const over = new AbortController();
  try {
    await Promise.race([untilReady(settings.socketPath, over.signal), failed]);
  } catch (error) {
    child.kill('SIGKILL');
    const reason = error instanceof Error ? error.message : String(error);
    throw new GalleyError('redis_unavailable', `${reason} The end of its log:\n${await lastLogLines(settings.directory)}`, {
      cause: error,
    });
  }
  return child;
}

/** Resolves when the process has ended, at once when it already has. */
export async function untilExit(child: ChildProcess): Promise<ServerExit> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

async function untilReady(socketPath: string, over: AbortSignal): Promise<void> {
  let silentSince = performance.now();
  while (!over.aborted) {
    const answer = await ping(socketPath);
    if (answer === 'ready') return;
    if (answer === 'loading') silentSince = performance.now();
    if (performance.now() - silentSince > START_LIMIT_MS) {
      throw new GalleyError('redis_unavailable', `The Redis server did not answer within ${START_LIMIT_MS / 1000} s.`);
    }
    await delay(READY_POLL_MS);
  }
}

function serverArguments({ directory, socketPath, appendFsync }: ServerSettings): string[] {
  const options = {
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: directory,
    logfile: path.join(directory, SERVER_LOG),
    daemonize: 'no',
    save: '',
    appendonly: appendFsync === null ? 'no' : 'yes',
    ...(appendFsync === null ? {} : { appendfsync: appendFsync }),
    'maxmemory-policy': 'noeviction',
    // Small sorted sets as lists are searched from the front at every change; `processing` is small and always changing.
    'zset-max-listpack-entries': '0',
    // So are small hashes. Records, 50 bytes and more, make theirs a hash table from the first; counters stay small.
    'hash-max-listpack-value': '48',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

async function lastLogLines(directory: string): Promise<string> {
  const file = path.join(directory, SERVER_LOG);
  try {
    return (await readFile(file, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
  } catch {
    return `(${file} cannot be read)`;
  }
}
