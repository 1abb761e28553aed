import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { GalleyError } from '@galley/contract';
import type { BlobInfo, BlobWriter } from '../blob-store.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../local/durable.ts';
import { storageError } from '../local/storage-errors.ts';

/** Stores a whole blob; resolves when the bucket has it. */
export type StoreWhole = (blob: BlobInfo, body: () => Readable) => Promise<void>;

/** Gathers a blob in a file of this machine, since its key is its hash and S3 wants its length; then hands it over and removes the file. */
export class S3BlobWriter implements BlobWriter {
  readonly #directory: string;
  readonly #file: string;
  readonly #store: StoreWhole;
  readonly #hash = createHash('sha256');
  #handle: FileHandle | null = null;
  #size = 0;
  #ended = false;
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(directory: string, store: StoreWhole) {
    this.#directory = directory;
    this.#file = path.join(directory, randomUUID());
    this.#store = store;
  }

  get size(): number {
    return this.#size;
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#step(async () => {
      this.#refuseWhenEnded();
      const handle = await this.#open();
      for (let written = 0; written < chunk.byteLength; ) written += (await handle.write(chunk, written)).bytesWritten;
      this.#hash.update(chunk);
      this.#size += chunk.byteLength;
    });
  }

  commit(): Promise<BlobInfo> {
    return this.#step(async () => {
      this.#refuseWhenEnded();
      this.#ended = true;
      try {
        await this.#open();
        const blob = { sha256: this.#hash.digest('hex'), size: this.#size };
        await this.#store(blob, () => createReadStream(this.#file));
        return blob;
      } finally {
        await this.#discard();
      }
    });
  }

  abort(): Promise<void> {
    return this.#step(async () => {
      if (this.#ended) return;
      this.#ended = true;
      await this.#discard();
    });
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle === null) {
      await mkdir(this.#directory, { recursive: true, mode: DIRECTORY_MODE });
      this.#handle = await open(this.#file, 'wx', FILE_MODE);
    }
    return this.#handle;
  }

  async #discard(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    await rm(this.#file, { force: true });
  }

  #refuseWhenEnded(): void {
    if (this.#ended) throw new GalleyError('internal_error', 'This blob writer has ended; take a new one for another blob.');
  }

  #step<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const step = this.#lastStep.then(run).catch((error: unknown) => {
      throw storageError(this.#directory, error);
    });
    this.#lastStep = step.catch(() => undefined);
    return step;
  }
}
