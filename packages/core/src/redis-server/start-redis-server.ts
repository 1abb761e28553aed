import { mkdir, realpath } from 'node:fs/promises';
import { GalleyError } from '@galley/contract';
import { adoptServer } from './adopt-server.ts';
import { lockDirectory } from './directory-lock.ts';
import { findRedisServer } from './find-redis-server.ts';
import { setAppendFsync } from './server-client.ts';
import type { AppendFsync } from './server-process.ts';
import { chooseSocketPath } from './server-record.ts';
import { type RedisServer, type RedisServerLogger, SupervisedServer } from './supervised-server.ts';

export interface StartRedisServerOptions {
  /** Where its data lies; made when missing. One launcher per directory. */
  readonly directory: string;
  /** `always` loses nothing that was answered; `everysec` may lose up to 2 s of it. */
  readonly appendfsync: AppendFsync;
  /** Folders to find redis-server in, separated as in PATH; PATH when left out. */
  readonly searchPath?: string | undefined;
  readonly logger?: RedisServerLogger | undefined;
}

/**
 * Runs Galley's own Redis on a private socket, adopts the one that a killed launcher left behind, and starts it again when it dies.
 * @throws GalleyError `lock_contention` when another launcher has the directory; `redis_unavailable` when no server is found or starts
 */
export async function startRedisServer(options: StartRedisServerOptions): Promise<RedisServer> {
  const program = await findRedisServer(options.searchPath);
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const directory = await realpath(options.directory);
  const lock = await lockDirectory(directory);
  try {
    const left = await adoptServer(directory);
    const socketPath = left?.socketPath ?? (await chooseSocketPath(directory));
    const server = new SupervisedServer({
      program,
      directory,
      socketPath,
      appendFsync: options.appendfsync,
      lock,
      adopted: left !== null,
      logger: options.logger,
    });
    await server.begin(left?.process ?? null);
    if (left !== null && !(await setAppendFsync(socketPath, options.appendfsync))) {
      await server.stop();
      throw new GalleyError(
        'redis_unavailable',
        `The Redis server left in ${directory} could not be set to appendfsync ${options.appendfsync}.`,
      );
    }
    return server;
  } catch (error) {
    await lock.release();
    throw error;
  }
}
