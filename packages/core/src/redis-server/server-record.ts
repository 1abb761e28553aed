import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type ProcessIdentity, parseIdentity } from './process-identity.ts';

const RECORD_NAME = 'redis-server.json';
const RECORD_VERSION = 1;
/** A socket's path may have 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_LIMIT = 100;

/** What a launcher writes down of its server, so that the next one finds it. */
export interface ServerRecord {
  readonly process: ProcessIdentity;
  readonly socketPath: string;
}

/** The record of the directory's server; null when there is none that can be read. */
export async function readRecord(directory: string): Promise<ServerRecord | null> {
  try {
    return parseRecord(JSON.parse(await readFile(path.join(directory, RECORD_NAME), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return null;
    throw error;
  }
}

export async function writeRecord(directory: string, record: ServerRecord): Promise<void> {
  const target = path.join(directory, RECORD_NAME);
  const draft = `${target}.draft`;
  await writeFile(draft, `${JSON.stringify({ version: RECORD_VERSION, ...record })}\n`, { mode: 0o600 });
  await rename(draft, target);
}

export async function removeRecord(directory: string): Promise<void> {
  await rm(path.join(directory, RECORD_NAME), { force: true });
}

/** The socket's place beside the data, where its path is short enough. */
export function defaultSocketPath(directory: string): string {
  return path.join(directory, 'redis.sock');
}

/**
 * Chooses where a new server listens: beside its data, or in a private folder under the system's temporary one when that path is too long.
 * The second kind is removed by `removeSocket`.
 */
export async function chooseSocketPath(directory: string): Promise<string> {
  const beside = defaultSocketPath(directory);
  if (Buffer.byteLength(beside) < SOCKET_PATH_LIMIT) return beside;
  const tag = createHash('sha256').update(directory).digest('hex').slice(0, 8);
  // Redis's own temporary folder may be long too; /tmp is short wherever there are unix sockets.
  const base = Buffer.byteLength(os.tmpdir()) < 60 ? os.tmpdir() : '/tmp';
  await mkdir(base, { recursive: true });
  const folder = await mkdtemp(path.join(base, `galley-${tag}-`));
  await chmod(folder, 0o700);
  return path.join(folder, 'redis.sock');
}

/** Removes the socket, and its folder where that was made for it alone. */
export async function removeSocket(directory: string, socketPath: string): Promise<void> {
  const isBeside = socketPath === defaultSocketPath(directory);
  await rm(isBeside ? socketPath : path.dirname(socketPath), { recursive: true, force: true });
}

function parseRecord(value: unknown): ServerRecord | null {
  if (typeof value !== 'object' || value === null || !('process' in value) || !('socketPath' in value)) return null;
  const identity = parseIdentity(value.process);
  return identity === null || typeof value.socketPath !== 'string' ? null : { process: identity, socketPath: value.socketPath };
}
