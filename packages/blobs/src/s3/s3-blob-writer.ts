import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobInfo, BlobWriter } from '../blob-store.ts';
import { DIRECTORY_MODE } from '../local/durable.ts';
import { StagedBlobWriter } from '../staged-blob-writer.ts';

/** Stores a whole blob; resolves when the bucket has it. */
export type StoreWhole = (blob: BlobInfo, body: () => Readable) => Promise<void>;

/** Gathers a blob in a file of this machine, since its key is its hash and S3 wants its length; then hands it over and removes the file. */
export function s3BlobWriter(directory: string, store: StoreWhole): BlobWriter {
  const file = path.join(directory, randomUUID());
  return new StagedBlobWriter({
    directory,
    file,
    makeDirectory: () => mkdir(directory, { recursive: true, mode: DIRECTORY_MODE }),
    store: (blob) => store(blob, () => createReadStream(file)),
  });
}
