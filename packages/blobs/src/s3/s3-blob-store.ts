import { readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { GalleyError } from '@galley/contract';
import type { BlobInfo, BlobRange, BlobStat, BlobStore, BlobWriter } from '../blob-store.ts';
import { blobPath, isSha256 } from '../local/blob-path.ts';
import { isMissing } from '../local/storage-errors.ts';
import { writeWhole } from '../staged-blob-writer.ts';
import { s3BlobWriter } from './s3-blob-writer.ts';
import { bodyOf, S3Client, type S3Location } from './s3-client.ts';

export interface S3BlobStoreOptions {
  readonly location: S3Location;
  /** A directory of this machine's own, where a blob gathers until its hash is known. */
  readonly spool: string;
  /** Milliseconds since the epoch; the system's clock when left out. */
  readonly now?: () => number;
}

/** Keys are `ab/cd/<sha256>` below the bucket's prefix, as in the local store. @throws GalleyError `invalid_request` for another form */
function keyOf(sha256: string): string {
  return blobPath('', sha256);
}

function statOf({ headers }: IncomingMessage): BlobStat {
  return { size: Number(headers['content-length']), modifiedAt: new Date(headers['last-modified'] ?? 0) };
}

/** A blob store in an S3-compatible bucket, for servers and workers on several machines. The bucket must exist. */
export function createS3BlobStore(options: S3BlobStoreOptions): BlobStore {
  return new S3BlobStore(options);
}

class S3BlobStore implements BlobStore {
  readonly #client: S3Client;
  readonly #spool: string;
  readonly #now: () => number;

  constructor({ location, spool, now }: S3BlobStoreOptions) {
    this.#client = new S3Client(location);
    this.#spool = path.resolve(spool);
    this.#now = now ?? Date.now;
  }

  writer(): BlobWriter {
    return s3BlobWriter(this.#spool, async (blob, body) => {
      // One that exists already is written anew, which is the one way to put its day of deletion off that every server keeps to.
      // The bucket checks the hash itself, so what lies there is what was sent.
      const headers = { 'content-length': String(blob.size), 'x-amz-content-sha256': blob.sha256 };
      await this.#expect(await this.#client.send({ method: 'PUT', key: keyOf(blob.sha256), headers, body }), [200]);
    });
  }

  async put(bytes: Uint8Array): Promise<BlobInfo> {
    return await writeWhole(this.writer(), bytes);
  }

  async read(sha256: string): Promise<Uint8Array> {
    return bodyOf(await this.#get(sha256));
  }

  async stream(sha256: string, range?: BlobRange): Promise<Readable> {
    if (range === undefined) return this.#get(sha256);
    const { start, end } = range;
    const { size } = (await this.stat(sha256)) ?? (await this.#missing(sha256));
    const last = end ?? size - 1;
    if (!Number.isInteger(start) || !Number.isInteger(last) || start < 0 || start > last || last >= size)
      throw new GalleyError('invalid_request', `Bytes ${start} to ${last} are not in a blob of ${size} bytes.`);
    return this.#get(sha256, { range: `bytes=${start}-${last}` });
  }

  async stat(sha256: string): Promise<BlobStat | null> {
    const response = await this.#client.send({ method: 'HEAD', key: keyOf(sha256) });
    response.resume();
    if (response.statusCode === 404) return null;
    await this.#expect(response, [200]);
    return statOf(response);
  }

  async touch(sha256: string): Promise<void> {
    if (!(await this.#touchIfThere(sha256))) await this.#missing(sha256);
  }

  async delete(sha256: string): Promise<void> {
    await this.#expect(await this.#client.send({ method: 'DELETE', key: keyOf(sha256) }), [200, 204, 404]);
  }

  async *list(): AsyncIterable<BlobInfo & BlobStat> {
    let after: string | null = null;
    for (;;) {
      const query: Record<string, string> = { 'list-type': '2', prefix: this.#client.prefix };
      if (after !== null) query['start-after'] = after;
      const response = await this.#client.send({ method: 'GET', query });
      const text = (await bodyOf(response)).toString('utf8');
      await this.#expect(response, [200]);
      let last: string | null = null;
      for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        last = fieldOf(entry, 'Key');
        const sha256 = last?.split('/').at(-1) ?? '';
        if (isSha256(sha256))
          yield { sha256, size: Number(fieldOf(entry, 'Size')), modifiedAt: new Date(fieldOf(entry, 'LastModified') ?? 0) };
      }
      if (last === null || fieldOf(text, 'IsTruncated') !== 'true') return;
      after = last;
    }
  }

  async sweepTemporary(olderThanMs: number): Promise<number> {
    const names = await readdir(this.#spool).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    let removed = 0;
    for (const name of names) {
      const file = path.join(this.#spool, name);
      const found = await stat(file).catch(() => null);
      if (found === null || !found.isFile() || found.mtimeMs > this.#now() - olderThanMs) continue;
      await rm(file, { force: true });
      removed++;
    }
    return removed;
  }

  /** Copies an object onto itself, which is how S3 lets its time be set. */
  async #touchIfThere(sha256: string): Promise<boolean> {
    const key = keyOf(sha256);
    const headers = {
      'x-amz-copy-source': `/${this.#client.bucket}/${this.#client.prefix}${key}`,
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-meta-touched': String(this.#now()),
    };
    const response = await this.#client.send({ method: 'PUT', key, headers });
    await this.#expect(response, [200, 404]);
    return response.statusCode === 200;
  }

  async #get(sha256: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    const response = await this.#client.send({ method: 'GET', key: keyOf(sha256), headers });
    if (response.statusCode === 404) {
      response.resume();
      await this.#missing(sha256);
    }
    if (response.statusCode !== 200 && response.statusCode !== 206) await this.#expect(response, [200, 206]);
    return response;
  }

  async #missing(sha256: string): Promise<never> {
    throw new GalleyError(
      'blob_missing',
      `Blob ${sha256} is not in the bucket ${this.#client.bucket}: server and workers need the same GALLEY_S3_URL.`,
    );
  }

  async #expect(response: IncomingMessage, statuses: readonly number[]): Promise<void> {
    const status = response.statusCode ?? 0;
    if (!response.readableEnded) response.resume();
    if (!statuses.includes(status)) throw new GalleyError('internal_error', `The bucket ${this.#client.bucket} answered ${status}.`);
  }
}

/** The text of the first such element. Nothing of ours that is read so holds what XML escapes. */
function fieldOf(xml: string, name: string): string | null {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? null;
}
