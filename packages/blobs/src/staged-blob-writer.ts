import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { GalleyError } from '@galley/contract';
import type { BlobInfo, BlobWriter } from './blob-store.ts';
import { FILE_MODE } from './local/durable.ts';
import { storageError } from './local/storage-errors.ts';

export interface StagingOptions {
  /** The folder that a refusal of the disk names. */
  readonly directory: string;
  /** Where the blob is gathered, since its name is its hash. */
  readonly file: string;
  readonly makeDirectory: () => Promise<unknown>;
  /** Puts the whole blob in its place, from the file or by moving it; whatever is left of the file is removed afterwards. */
  readonly store: (blob: BlobInfo, handle: FileHandle) => Promise<void>;
}

/**
 * States: open → (committing → committed | failed) | aborted. The file is made at the first chunk.
 * Steps run one after another whatever the caller awaits, so chunks keep their order and an abort waits for the write under way.
 */
export class StagedBlobWriter implements BlobWriter {
  readonly #options: StagingOptions;
  readonly #hash = createHash('sha256');
  #handle: FileHandle | null = null;
  #size = 0;
  #ended = false;
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(options: StagingOptions) {
    this.#options = options;
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
        const handle = await this.#open();
        const blob = { sha256: this.#hash.digest('hex'), size: this.#size };
        await this.#options.store(blob, handle);
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
      await this.#options.makeDirectory();
      this.#handle = await open(this.#options.file, 'wx', FILE_MODE);
    }
    return this.#handle;
  }

  async #discard(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    await rm(this.#options.file, { force: true });
  }

  #refuseWhenEnded(): void {
    if (this.#ended) throw new GalleyError('internal_error', 'This blob writer has ended; take a new one for another blob.');
  }

  #step<Answer>(run: () => Promise<Answer>): Promise<Answer> {
    const step = this.#lastStep.then(run).catch((error: unknown) => {
      throw storageError(this.#options.directory, error);
    });
    this.#lastStep = step.catch(() => undefined);
    return step;
  }
}

/** Writes a blob that is in memory already; leaves nothing behind where that fails. */
export async function writeWhole(writer: BlobWriter, bytes: Uint8Array): Promise<BlobInfo> {
  try {
    await writer.write(bytes);
    return await writer.commit();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
