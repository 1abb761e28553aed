import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlobInfo, BlobStat, BlobStore } from '../blob-store.ts';
import { createLocalBlobStore } from './local-blob-store.ts';
import { storageError } from './storage-errors.ts';

const HOUR_MS = 3_600_000;
const SOUP = new TextEncoder().encode('soup of the day');
const SOUP_HASH = createHash('sha256').update(SOUP).digest('hex');

let base: string;
let directory: string;
let store: BlobStore;

beforeEach(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'galley-blobs-'));
  directory = path.join(base, 'blobs');
  store = createLocalBlobStore({ directory });
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

function fileOf(sha256: string): string {
  return path.join(directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

async function temporaryFiles(): Promise<string[]> {
  return await readdir(path.join(directory, 'temporary'));
}

async function listed(): Promise<(BlobInfo & BlobStat)[]> {
  const found: (BlobInfo & BlobStat)[] = [];
  for await (const blob of store.list()) found.push(blob);
  return found;
}

describe('writing', () => {
  it('stores bytes under their hash, for this user alone', async () => {
    expect(await store.put(SOUP)).toEqual({ sha256: SOUP_HASH, size: SOUP.byteLength });
    expect(Buffer.from(await store.read(SOUP_HASH)).equals(SOUP)).toBe(true);
    expect((await stat(fileOf(SOUP_HASH))).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(fileOf(SOUP_HASH)))).mode & 0o777).toBe(0o700);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await temporaryFiles()).toEqual([]);
  });

  it('hashes a stream of chunks on the way, in the order of the calls', async () => {
    const chunks = Array.from({ length: 50 }, () => randomBytes(70_000));
    const whole = Buffer.concat(chunks);
    const writer = store.writer();
    // Not awaited one by one: order must not hang on what the caller awaits.
    await Promise.all(chunks.map((chunk) => writer.write(chunk)));
    expect(writer.size).toBe(whole.byteLength);
    const info = await writer.commit();
    expect(info).toEqual({ sha256: createHash('sha256').update(whole).digest('hex'), size: whole.byteLength });
    expect(whole.equals(await store.read(info.sha256))).toBe(true);
  });

  it('stores nothing as a blob of nothing', async () => {
    const { sha256, size } = await store.writer().commit();
    expect(size).toBe(0);
    expect((await store.read(sha256)).byteLength).toBe(0);
  });

  it('stores the same bytes once however many write them at the same time', async () => {
    const bytes = randomBytes(300_000);
    const second = createLocalBlobStore({ directory });
    const infos = await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? store : second).put(bytes)));
    expect(new Set(infos.map((info) => info.sha256)).size).toBe(1);
    expect(await listed()).toHaveLength(1);
    expect(bytes.equals(await store.read(infos[0]?.sha256 ?? ''))).toBe(true);
    expect(await temporaryFiles()).toEqual([]);
  });

  it('touches a blob that exists and uses it', async () => {
    await store.put(SOUP);
    await utimes(fileOf(SOUP_HASH), 1000, 1000);
    const { ino } = await stat(fileOf(SOUP_HASH));
    const before = Date.now() - 1000;
    await store.put(SOUP);
    expect((await stat(fileOf(SOUP_HASH))).ino).toBe(ino);
    expect((await store.stat(SOUP_HASH))?.modifiedAt.getTime()).toBeGreaterThan(before);
  });

  it('replaces one that was cut short', async () => {
    await store.put(SOUP);
    await truncate(fileOf(SOUP_HASH), 3);
    await store.put(SOUP);
    expect(await store.stat(SOUP_HASH)).toMatchObject({ size: SOUP.byteLength });
  });

  it('leaves nothing of an aborted stream, not even of a chunk that is still being written', async () => {
    const writer = store.writer();
    const underWay = writer.write(randomBytes(5_000_000));
    await writer.abort();
    await underWay;
    expect(await temporaryFiles()).toEqual([]);
    expect(await listed()).toEqual([]);
    await writer.abort();
    await expect(writer.write(SOUP)).rejects.toMatchObject({ code: 'internal_error' });
    await expect(writer.commit()).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('keeps the blob when abort comes after commit', async () => {
    const writer = store.writer();
    await writer.write(SOUP);
    await writer.commit();
    await writer.abort();
    expect(await store.stat(SOUP_HASH)).not.toBeNull();
  });

  it('leaves nothing when it cannot be named', async () => {
    const writer = store.writer();
    await writer.write(SOUP);
    await writeFile(path.join(directory, SOUP_HASH.slice(0, 2)), 'a file where a folder should be');
    await expect(writer.commit()).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(await temporaryFiles()).toEqual([]);
  });

  it('says that the disk is full', async () => {
    const full = await open('/dev/full', 'w');
    const error = await full.write(SOUP).catch((failure: unknown) => failure);
    await full.close();
    expect(storageError(directory, error)).toMatchObject({ code: 'internal_error', message: expect.stringContaining('the disk is full') });
  });
});

describe('reading', () => {
  it('names the cause when a blob is not there', async () => {
    for (const use of [store.read(SOUP_HASH), store.stream(SOUP_HASH), store.touch(SOUP_HASH)]) {
      await expect(use).rejects.toMatchObject({
        code: 'blob_missing',
        message: expect.stringMatching(/is not in .*another host.*GALLEY_DATA_DIR on a shared volume/),
      });
    }
    expect(await store.stat(SOUP_HASH)).toBeNull();
  });

  it('streams the whole and any span of it', async () => {
    await store.put(SOUP);
    expect(await text(await store.stream(SOUP_HASH))).toBe('soup of the day');
    expect(await text(await store.stream(SOUP_HASH, { start: 5, end: 6 }))).toBe('of');
    expect(await text(await store.stream(SOUP_HASH, { start: 12 }))).toBe('day');
  });

  it.each([{ start: 15 }, { start: -1 }, { start: 0, end: 15 }, { start: 6, end: 5 }, { start: 0.5 }])(
    'refuses the span %o',
    async (range) => {
      await store.put(SOUP);
      await expect(store.stream(SOUP_HASH, range)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );

  it.each(['', 'abc', '../../etc/passwd', SOUP_HASH.toUpperCase(), `${SOUP_HASH}/..`, `${SOUP_HASH}\n`])(
    'refuses %j before any path is built',
    async (name) => {
      const uses = [store.read(name), store.stream(name), store.stat(name), store.touch(name), store.delete(name)];
      for (const answer of await Promise.allSettled(uses)) expect(answer).toMatchObject({ reason: { code: 'invalid_request' } });
    },
  );
});

describe('keeping', () => {
  it('lists what there is, and nothing that is not a blob', async () => {
    expect(await listed()).toEqual([]);
    const infos = await Promise.all([SOUP, randomBytes(10), randomBytes(20)].map((bytes) => store.put(bytes)));
    const unfinished = store.writer();
    await unfinished.write(SOUP);
    await writeFile(path.join(path.dirname(fileOf(SOUP_HASH)), 'notes.txt'), 'not a blob');
    const blobs = await listed();
    expect(blobs.map(({ sha256, size }) => ({ sha256, size })).sort(bySha256)).toEqual(infos.sort(bySha256));
    expect(blobs[0]?.modifiedAt).toBeInstanceOf(Date);
    await unfinished.abort();
  });

  it('deletes, twice if asked', async () => {
    await store.put(SOUP);
    await store.delete(SOUP_HASH);
    await store.delete(SOUP_HASH);
    expect(await store.stat(SOUP_HASH)).toBeNull();
  });

  it('sweeps what dead writers left, and leaves living ones alone', async () => {
    expect(await store.sweepTemporary(0)).toBe(0);
    const writer = store.writer();
    await writer.write(SOUP);
    const left = path.join(directory, 'temporary', 'left-behind');
    await writeFile(left, 'half a file');
    const old = Date.now() / 1000 - 7200;
    await utimes(left, old, old);
    expect(await store.sweepTemporary(HOUR_MS)).toBe(1);
    expect(await writer.commit()).toMatchObject({ sha256: SOUP_HASH });
  });
});

function bySha256(left: { sha256: string }, right: { sha256: string }): number {
  return left.sha256 < right.sha256 ? -1 : 1;
}
