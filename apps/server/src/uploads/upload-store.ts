import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Chore, type Connection, type Lifecycle } from '@galley/core';
import { FileStore } from '@tus/file-store';
import type { Logger } from 'pino';

/** How long an upload that nobody finishes is kept. */
export const UPLOAD_EXPIRY_MS = 24 * 3_600_000;
const SWEEP_MS = 600_000;

export function uploadDirectory(dataDirectory: string): string {
  return path.join(dataDirectory, 'uploads');
}

/** Where the pieces of resumable uploads gather, until each is whole and becomes a blob. Shared by all servers of a data directory. */
export async function openUploadStore(dataDirectory: string, expiryMs: number = UPLOAD_EXPIRY_MS): Promise<FileStore> {
  const directory = uploadDirectory(dataDirectory);
  // Before the store does, which would let everyone of this machine in.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return new FileStore({ directory, expirationPeriodInMilliseconds: expiryMs });
}

/** Removes uploads that were begun longer ago than `UPLOAD_EXPIRY_MS` and never finished. */
export function createUploadJanitor(store: FileStore, connection: Connection, logger: Logger): Lifecycle {
  return new Chore({
    name: 'upload janitor',
    periodMs: SWEEP_MS,
    connection,
    logger,
    pass: async () => {
      const removed = await store.deleteExpired();
      if (removed > 0) logger.info({ removed }, 'uploads that nobody finished were removed');
      return false;
    },
  });
}
