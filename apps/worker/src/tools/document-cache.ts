import type { SourceDocument } from '@galley/ocr';

export interface OpenedFile {
  readonly document: SourceDocument;
  /** Bytes of the file, which stays in memory while it is open. */
  readonly size: number;
}

export interface DocumentCacheOptions {
  readonly open: (sha256: string) => Promise<OpenedFile>;
  readonly maxDocuments: number;
  readonly maxBytes: number;
  /** Hears what went wrong while a document was closed. */
  readonly onCloseError: (error: unknown) => void;
}

/**
 * Keeps the documents that a thread used last open, so that the pages of one file do not parse it again and again.
 * For one user at a time: what `get` answered stays open until the next `get`.
 */
export class DocumentCache {
  readonly #options: DocumentCacheOptions;
  /** Least recently used first. */
  readonly #opened = new Map<string, OpenedFile>();
  #distrusted = false;

  constructor(options: DocumentCacheOptions) {
    this.#options = options;
  }

  async get(sha256: string): Promise<SourceDocument> {
    if (this.#distrusted) this.clear();
    this.#distrusted = false;
    const kept = this.#opened.get(sha256);
    if (kept !== undefined) {
      this.#opened.delete(sha256);
      this.#opened.set(sha256, kept);
      return kept.document;
    }
    const file = await this.#options.open(sha256);
    this.#opened.set(sha256, file);
    this.#makeRoom();
    return file.document;
  }

  /** A damaged file may have hurt what the open documents share: the next `get` begins with none. */
  distrust(): void {
    this.#distrusted = true;
  }

  /** Closes all. */
  clear(): void {
    for (const sha256 of this.#opened.keys()) this.#close(sha256);
  }

  /** Evicts the oldest until the bounds hold; the newest stays whatever its size. */
  #makeRoom(): void {
    for (const sha256 of [...this.#opened.keys()].slice(0, -1)) {
      const bytes = [...this.#opened.values()].reduce((sum, { size }) => sum + size, 0);
      if (this.#opened.size <= this.#options.maxDocuments && bytes <= this.#options.maxBytes) return;
      this.#close(sha256);
    }
  }

  #close(sha256: string): void {
    const file = this.#opened.get(sha256);
    this.#opened.delete(sha256);
    try {
      file?.document.close();
    } catch (error) {
      this.#options.onCloseError(error);
    }
  }
}
