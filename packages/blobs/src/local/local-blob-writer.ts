import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { GalleyError } from '@galley/contract';
import type { BlobInfo, BlobWriter } from '../blob-store.ts';
import { blobPath, temporaryDirectory } from './blob-path.ts';
import { type DurableDirectories, FILE_MODE, syncDirectory } from './durable.ts';
import { storageError } from './storage-errors.ts';

export interface WriterOptions {
  readonly directory: string;
  readonly directories: DurableDirectories;
  /** Touches the blob when the store has it whole; false when it does not. */
  readonly touchExisting: (blob: BlobInfo) => Promise<boolean>;
}

/**
 * States: open → (committing → committed | failed) | aborted. The file is made at the first chunk.
 * Steps run one after another whatever the caller awaits, so chunks keep their order and an abort waits for the write under way.
 */
export class LocalBlobWriter implements BlobWriter {
  readonly #options: WriterOptions;
  readonly #file: string;
  readonly #hash = createHash('sha256');
  #handle: FileHandle | null = null;
  #size = 0;
  #ended = false;
  #lastStep: Promise<unknown> = Promise.resolve();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#file = path.join(temporaryDirectory(options.directory), randomUUID());
  }

  get size(): number {
    return this.#size;
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#step(async () => {
      this.#refuseWhenEnded();
      await this.#append(chunk);
    });
  }

  commit(): Promise<BlobInfo> {
    return this.#step(async () => {
      this.#refuseWhenEnded();
      this.#ended = true;
      try {
        return await this.#name(await this.#open());
      } catch (error) {
        await this.#discard();
        throw error;
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

  async #append(chunk: Uint8Array): Promise<void> {
    const handle = await this.#open();
    for (let written = 0; written < chunk.byteLength; ) {
      const { bytesWritten } = await handle.write(chunk, written);
      written += bytesWritten;
    }
    this.#hash.update(chunk);
    this.#size += chunk.byteLength;
  }

  /** The bytes are on the disk before they get their name, and the name before anyone is told of it. */
  async #name(handle: FileHandle): Promise<BlobInfo> {
    const info = { sha256: this.#hash.digest('hex'), size: this.#size };
    const target = blobPath(this.#options.directory, info.sha256);
    await this.#options.directories.make(path.dirname(target));
    if (await this.#options.touchExisting(info)) {
      await this.#discard();
    } else {
      await handle.sync();
      await handle.close();
      this.#handle = null;
      await rename(this.#file, target);
    }
    // Also for one that existed: another writer may have named it a moment ago and not have got this far yet.
    await syncDirectory(path.dirname(target));
    return info;
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle === null) {
      await this.#options.directories.make(path.dirname(this.#file));
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
      throw storageError(this.#options.directory, error);
    });
    this.#lastStep = step.catch(() => undefined);
    return step;
  }
}
