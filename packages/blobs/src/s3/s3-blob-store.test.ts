import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BlobInfo, BlobStat, BlobStore } from '../blob-store.ts';
import { createS3BlobStore } from './s3-blob-store.ts';

const KEYS = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const SOUP = new TextEncoder().encode('soup of the day');
const SOUP_HASH = createHash('sha256').update(SOUP).digest('hex');

let base: string;
let server: S3rver;
let endpoint: string;
let spool: string;
let store: BlobStore;
let count = 0;

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'galley-s3-'));
  server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: path.join(base, 'buckets'),
    configureBuckets: [{ name: 'galley', configs: [] }],
  });
  const { port } = await server.run();
  endpoint = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await server.close();
  await rm(base, { recursive: true, force: true });
});
beforeEach(() => {
  // A prefix each, so that every test has a bucket of its own.
  spool = path.join(base, `spool-${++count}`);
  store = createS3BlobStore({ location: { ...KEYS, url: `${endpoint}/galley/test-${count}` }, spool });
});

async function listed(): Promise<(BlobInfo & BlobStat)[]> {
  const found: (BlobInfo & BlobStat)[] = [];
  for await (const blob of store.list()) found.push(blob);
  return found;
}

const spooled = (): Promise<string[]> => readdir(spool).catch(() => []);

describe('a bucket', () => {
  it('keeps bytes under their hash, and nothing stays on this machine', async () => {
    expect(await store.put(SOUP)).toEqual({ sha256: SOUP_HASH, size: SOUP.byteLength });
    expect(Buffer.from(await store.read(SOUP_HASH)).equals(SOUP)).toBe(true);
    expect(await spooled()).toEqual([]);
    const other = createS3BlobStore({ location: { ...KEYS, url: `${endpoint}/galley/test-${count}` }, spool: `${spool}-other` });
    expect(Buffer.from(await other.read(SOUP_HASH)).equals(SOUP)).toBe(true);
  });

  it('takes a blob chunk by chunk, an empty one too', async () => {
    const writer = store.writer();
    const chunks = Array.from({ length: 30 }, () => randomBytes(100_000));
    for (const chunk of chunks) await writer.write(chunk);
    expect(writer.size).toBe(3_000_000);
    const { sha256, size } = await writer.commit();
    expect([sha256, size]).toEqual([createHash('sha256').update(Buffer.concat(chunks)).digest('hex'), 3_000_000]);
    expect((await buffer(await store.stream(sha256))).equals(Buffer.concat(chunks))).toBe(true);
    const empty = await store.writer().commit();
    expect([empty.size, (await store.read(empty.sha256)).byteLength]).toEqual([0, 0]);
  });

  it('leaves nothing of what was aborted, and refuses a writer that has ended', async () => {
    const writer = store.writer();
    await writer.write(SOUP);
    expect(await spooled()).toHaveLength(1);
    await writer.abort();
    await writer.abort();
    expect([await spooled(), await listed()]).toEqual([[], []]);
    await expect(writer.write(SOUP)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('answers spans of bytes, and refuses what is outside', async () => {
    await store.put(SOUP);
    expect((await buffer(await store.stream(SOUP_HASH, { start: 5, end: 6 }))).toString()).toBe('of');
    expect((await buffer(await store.stream(SOUP_HASH, { start: 12 }))).toString()).toBe('day');
    for (const range of [{ start: 15 }, { start: -1 }, { start: 3, end: 2 }, { start: 0, end: 15 }, { start: 0.5 }])
      await expect(store.stream(SOUP_HASH, range)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('says what is missing by its code, and forgets what is deleted', async () => {
    for (const ask of [() => store.read(SOUP_HASH), () => store.stream(SOUP_HASH), () => store.touch(SOUP_HASH)])
      await expect(ask()).rejects.toMatchObject({ code: 'blob_missing' });
    expect(await store.stat(SOUP_HASH)).toBeNull();
    await store.delete(SOUP_HASH);
    await store.put(SOUP);
    await store.delete(SOUP_HASH);
    expect([await store.stat(SOUP_HASH), await listed()]).toEqual([null, []]);
  });

  it('touches a blob that is used again, whoever stored it', async () => {
    await store.put(SOUP);
    const before = (await store.stat(SOUP_HASH))?.modifiedAt.getTime() ?? 0;
    // The bucket's clock counts whole seconds, and its file system's runs some milliseconds behind
    // Date.now(): another blob tells when that clock has gone on.
    for (let turn = 0, later = before; later <= before; turn++) {
      const { sha256 } = await store.put(Buffer.from(`turn ${turn}`));
      later = (await store.stat(sha256))?.modifiedAt.getTime() ?? 0;
    }
    await store.put(SOUP);
    const after = await store.stat(SOUP_HASH);
    expect(after?.modifiedAt.getTime()).toBeGreaterThan(before);
    expect(Buffer.from(await store.read(SOUP_HASH)).equals(SOUP)).toBe(true);
  });

  it('lists every blob of its prefix and no other', async () => {
    const stored = await Promise.all(Array.from({ length: 30 }, (_, index) => store.put(Buffer.from(`${index}`))));
    const found = await listed();
    expect(found.map(({ sha256 }) => sha256).sort()).toEqual(stored.map(({ sha256 }) => sha256).sort());
    expect(found.every(({ size, modifiedAt }) => size > 0 && modifiedAt.getTime() > 0)).toBe(true);
  });

  it('lists page by page, as ListObjectsV2 answers once there are more than a thousand', async () => {
    const hashes = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
    const asked: (string | null)[] = [];
    // The server of the other tests fails on a list that is cut.
    const paged = createServer((request, response) => {
      const after = new URL(request.url ?? '', 'http://s3').searchParams.get('start-after');
      asked.push(after);
      const [hash = ''] = hashes.filter((candidate) => after === null || `p/${candidate}` > after);
      const entry = `<Contents><Key>p/${hash}</Key><LastModified>2026-11-30T12:00:00.000Z</LastModified><Size>7</Size></Contents>`;
      response.end(`<ListBucketResult><IsTruncated>${hash !== hashes[2]}</IsTruncated>${entry}</ListBucketResult>`);
    }).listen(0, '127.0.0.1');
    await once(paged, 'listening');
    const url = `http://127.0.0.1:${(paged.address() as AddressInfo).port}/galley/p`;
    store = createS3BlobStore({ location: { ...KEYS, url }, spool });
    expect((await listed()).map(({ sha256 }) => sha256)).toEqual(hashes);
    expect(asked).toEqual([null, `p/${hashes[0]}`, `p/${hashes[1]}`]);
    paged.close();
    paged.closeAllConnections();
  });

  it('takes no other name for a hash', async () => {
    for (const name of ['', '..', 'A'.repeat(64), '../../../etc/passwd', `${SOUP_HASH}/x`])
      await expect(store.read(name)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('sweeps what writers that died left behind', async () => {
    const writer = store.writer();
    await writer.write(SOUP);
    expect(await store.sweepTemporary(60_000)).toBe(0);
    const later = createS3BlobStore({ location: { ...KEYS, url: `${endpoint}/galley/x` }, spool, now: () => Date.now() + 120_000 });
    expect(await later.sweepTemporary(60_000)).toBe(1);
    await writer.abort();
  });
});

describe('a bucket that fails', () => {
  it('for a moment is tried again; one that refuses is named', async () => {
    let requests = 0;
    const flaky = createServer((_, response) => {
      requests++;
      response.writeHead(requests < 3 ? 503 : 404).end();
    }).listen(0, '127.0.0.1');
    await once(flaky, 'listening');
    const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}/galley`;
    expect(await createS3BlobStore({ location: { ...KEYS, url }, spool }).stat(SOUP_HASH)).toBeNull();
    expect(requests).toBe(3);
    flaky.close();
    flaky.closeAllConnections();
    const wrong = createS3BlobStore({ location: { ...KEYS, accessKeyId: 'NOBODY', url: `${endpoint}/galley` }, spool });
    await expect(wrong.put(SOUP)).rejects.toThrow(/bucket galley .* answered 403\. Check GALLEY_S3_KEY/);
    expect(await spooled()).toEqual([]);
  });
});
