import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { BlobInfo, BlobWriter } from '../blob-store.ts';
import { StagedBlobWriter } from '../staged-blob-writer.ts';
import { blobPath, temporaryDirectory } from './blob-path.ts';
import { type DurableDirectories, syncDirectory } from './durable.ts';

export interface WriterOptions {
  readonly directory: string;
  readonly directories: DurableDirectories;
  /** Touches the blob when the store has it whole; false when it does not. */
  readonly touchExisting: (blob: BlobInfo) => Promise<boolean>;
}

/** The bytes are on the disk before they get their name, and the name before anyone is told of it. */
export function localBlobWriter({ directory, directories, touchExisting }: WriterOptions): BlobWriter {
  const file = path.join(temporaryDirectory(directory), randomUUID());
  return new StagedBlobWriter({
    directory,
    file,
    makeDirectory: () => directories.make(path.dirname(file)),
    store: async (blob, handle) => {
      const target = blobPath(directory, blob.sha256);
      await directories.make(path.dirname(target));
      if (!(await touchExisting(blob))) {
        await handle.sync();
        await rename(file, target);
      }
      // Also for one that existed: another writer may have named it a moment ago and not have got this far yet.
      await syncDirectory(path.dirname(target));
    },
  });
}
