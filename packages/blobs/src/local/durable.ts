import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes the folders of a store so that they survive a power cut.
 * A folder that exists may have been made by another process a moment ago and not be safe yet, so each process writes each one down once;
 * there are at most 65,793 of them.
 */
export class DurableDirectories {
  readonly #root: string;
  readonly #safe = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes a folder of the store, and the store itself, where they are missing. */
  async make(directory: string): Promise<void> {
    const made = await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    if (made === undefined && this.#safe.has(directory)) return;
    const top = made === undefined || made.length > this.#root.length ? this.#root : made;
    for (let folder = directory; folder.length >= top.length; folder = path.dirname(folder)) await syncDirectory(path.dirname(folder));
    this.#safe.add(directory);
  }
}
