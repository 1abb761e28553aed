import type { Dirent } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { GalleyError } from '@galley/contract';
import type { BlobInfo, BlobRange, BlobStat, BlobStore, BlobWriter } from '../blob-store.ts';
import { writeWhole } from '../staged-blob-writer.ts';
import { blobPath, isSha256, temporaryDirectory } from './blob-path.ts';
import { DurableDirectories } from './durable.ts';
import { localBlobWriter } from './local-blob-writer.ts';
import { blobMissing, isMissing, storageError } from './storage-errors.ts';

export interface LocalBlobStoreOptions {
  /** Made when the first blob is written. To be shared by everything that reads and writes the same blobs. */
  readonly directory: string;
  /** Milliseconds since the epoch; the system's clock when left out. */
  readonly now?: () => number;
}

/** A blob store in a directory of this machine or of a shared volume. Safe to use from any number of processes at once. */
export function createLocalBlobStore(options: LocalBlobStoreOptions): BlobStore {
  return new LocalBlobStore(path.resolve(options.directory), options.now ?? Date.now);
}

class LocalBlobStore implements BlobStore {
  readonly #directory: string;
  readonly #directories: DurableDirectories;
  readonly #now: () => number;

  constructor(directory: string, now: () => number) {
    this.#directory = directory;
    this.#directories = new DurableDirectories(directory);
    this.#now = now;
  }

  writer(): BlobWriter {
    const touchExisting = async ({ sha256, size }: BlobInfo): Promise<boolean> => {
      const existing = await this.stat(sha256);
      return existing?.size === size && (await this.#touchIfThere(sha256));
    };
    return localBlobWriter({ directory: this.#directory, directories: this.#directories, touchExisting });
  }

  async put(bytes: Uint8Array): Promise<BlobInfo> {
    return await writeWhole(this.writer(), bytes);
  }

  async read(sha256: string): Promise<Uint8Array> {
    const file = blobPath(this.#directory, sha256);
    return await readFile(file).catch((error: unknown) => this.#refuse(sha256, error));
  }

  async stream(sha256: string, range?: BlobRange): Promise<Readable> {
    const file = blobPath(this.#directory, sha256);
    const handle = await open(file, 'r').catch((error: unknown) => this.#refuse(sha256, error));
    try {
      if (range !== undefined) await checkRange(handle, range);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle.createReadStream({ start: range?.start, end: range?.end });
  }

  async stat(sha256: string): Promise<BlobStat | null> {
    return await this.#statFile(blobPath(this.#directory, sha256));
  }

  async touch(sha256: string): Promise<void> {
    if (!(await this.#touchIfThere(sha256))) throw blobMissing(this.#directory, sha256);
  }

  async delete(sha256: string): Promise<void> {
    await rm(blobPath(this.#directory, sha256), { force: true });
  }

  async *list(): AsyncIterable<BlobInfo & BlobStat> {
    for (const outer of await foldersOf(this.#directory)) {
      for (const inner of await foldersOf(outer)) {
        for (const entry of await entriesOf(inner)) {
          if (!entry.isFile() || !isSha256(entry.name)) continue;
          const found = await this.#statFile(path.join(inner, entry.name));
          if (found !== null) yield { sha256: entry.name, ...found };
        }
      }
    }
  }

  async sweepTemporary(olderThanMs: number): Promise<number> {
    const directory = temporaryDirectory(this.#directory);
    const limit = this.#now() - olderThanMs;
    let removed = 0;
    for (const entry of await entriesOf(directory)) {
      const file = path.join(directory, entry.name);
      const found = await this.#statFile(file);
      if (found === null || found.modifiedAt.getTime() > limit) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  async #touchIfThere(sha256: string): Promise<boolean> {
    const file = blobPath(this.#directory, sha256);
    const seconds = this.#now() / 1000;
    try {
      await utimes(file, seconds, seconds);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw storageError(this.#directory, error);
    }
  }

  async #statFile(file: string): Promise<BlobStat | null> {
    try {
      const { size, mtime } = await stat(file);
      return { size, modifiedAt: mtime };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  #refuse(sha256: string, error: unknown): never {
    throw isMissing(error) ? blobMissing(this.#directory, sha256, error) : storageError(this.#directory, error);
  }
}

async function checkRange(handle: FileHandle, { start, end }: BlobRange): Promise<void> {
  const { size } = await handle.stat();
  const last = end ?? size - 1;
  if (Number.isInteger(start) && Number.isInteger(last) && start >= 0 && start <= last && last < size) return;
  throw new GalleyError('invalid_request', `Bytes ${start} to ${last} are not in a blob of ${size} bytes.`);
}

async function foldersOf(directory: string): Promise<string[]> {
  const entries = await entriesOf(directory);
  return entries
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name))
    .map((entry) => path.join(directory, entry.name));
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
