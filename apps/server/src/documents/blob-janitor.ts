import type { BlobStore } from '@galley/blobs';
import { Chore, type Connection, type Lifecycle } from '@galley/core';
import type { Logger } from 'pino';
import type { Queues } from '../queue/queues.ts';
import { isReferenced } from '../tasks/task-files.ts';

const PERIOD_MS = 3_600_000;
export const UNTOUCHED_MS = 24 * 3_600_000;

export interface BlobJanitorOptions {
  readonly connection: Connection;
  readonly queues: Queues;
  readonly blobs: BlobStore;
  readonly logger: Logger;
  /** A picture or a large result is named by a result, which lives this long in milliseconds, and not by a task's tag. */
  readonly resultMs: number;
  readonly now?: () => number;
}

/** Deletes blobs that no task was made from and that nobody touched for a day and for as long as a result is held; counts them. */
export async function sweepBlobs(options: BlobJanitorOptions, signal?: AbortSignal): Promise<number> {
  const { blobs, queues } = options;
  const now = options.now ?? Date.now;
  const keptMs = UNTOUCHED_MS + options.resultMs;
  await blobs.sweepTemporary(UNTOUCHED_MS);
  let deleted = 0;
  for await (const { sha256, modifiedAt } of blobs.list()) {
    if (signal?.aborted === true) break;
    if (now() - modifiedAt.getTime() < keptMs || (await isReferenced({ queues }, sha256))) continue;
    // An upload of the same bytes may have touched it since it was listed.
    const again = await blobs.stat(sha256);
    if (again === null || now() - again.modifiedAt.getTime() < keptMs) continue;
    await blobs.delete(sha256);
    deleted++;
  }
  return deleted;
}

export function createBlobJanitor(options: BlobJanitorOptions): Lifecycle {
  const { connection, logger } = options;
  return new Chore({
    name: 'blob janitor',
    periodMs: PERIOD_MS,
    connection,
    logger,
    pass: async (signal) => {
      const deleted = await sweepBlobs(options, signal);
      if (deleted > 0) logger.info({ deleted }, 'files that nothing refers to were deleted');
      return false;
    },
  });
}
