import type { Readable } from 'node:stream';

/** A stored file, named by what it holds. */
export interface BlobInfo {
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

export interface BlobStat {
  /** Bytes. */
  readonly size: number;
  /** When it was written or last touched. */
  readonly modifiedAt: Date;
}

/** A span of bytes; both ends belong to it, as in an HTTP Range. */
export interface BlobRange {
  readonly start: number;
  /** Left out: to the end of the blob. */
  readonly end?: number | undefined;
}

/** Takes a blob's bytes one chunk after another. Exactly one of `commit` and `abort` ends it. */
export interface BlobWriter {
  /** Bytes taken so far. */
  readonly size: number;
  /** Resolves when the chunk has been handed to the disk, so a caller that waits for it never fills memory. */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Makes the blob readable under its hash. When it resolves, the bytes and the name survive a power cut.
   * A blob that exists already is touched and used instead.
   */
  commit(): Promise<BlobInfo>;
  /** Leaves nothing behind. Harmless after `commit` or an earlier `abort`. */
  abort(): Promise<void>;
}

/**
 * Where uploaded files and large payloads lie: each under the SHA-256 of its bytes, so that the same bytes are stored once.
 * Every method throws GalleyError `invalid_request` for a hash of the wrong form.
 */
export interface BlobStore {
  writer(): BlobWriter;
  put(bytes: Uint8Array): Promise<BlobInfo>;
  /** @throws GalleyError `blob_missing` */
  read(sha256: string): Promise<Uint8Array>;
  /**
   * The bytes as a stream, opened before it is answered: one that is missing rejects here and not in the middle of a response.
   * @throws GalleyError `blob_missing`; `invalid_request` for a range outside the blob
   */
  stream(sha256: string, range?: BlobRange): Promise<Readable>;
  stat(sha256: string): Promise<BlobStat | null>;
  /** Puts off the day on which the janitor may delete it. @throws GalleyError `blob_missing` */
  touch(sha256: string): Promise<void>;
  /** Deleting one that is not there is no error: it is gone, which was asked for. */
  delete(sha256: string): Promise<void>;
  /** Every blob, in no order. One that is deleted meanwhile may be left out. */
  list(): AsyncIterable<BlobInfo & BlobStat>;
  /**
   * Removes what writers that died left behind.
   * @param olderThanMs only what has not been written to for this long
   * @returns how many were removed
   */
  sweepTemporary(olderThanMs: number): Promise<number>;
}
