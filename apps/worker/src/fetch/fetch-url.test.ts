import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type BlobStore, createLocalBlobStore } from '@galley/blobs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllowList } from './allow-list.ts';
import { type FetchOptions, fetchUrl } from './fetch-url.ts';
import type { Resolve } from './guard.ts';

let directory: string;
let blobs: BlobStore;
const servers: Server[] = [];

beforeEach(async () => {
  directory = await mkdtemp('/tmp/galley-fetch-');
  blobs = createLocalBlobStore({ directory });
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
  await rm(directory, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A resolver that knows these names only. */
function names(table: Readonly<Record<string, readonly string[]>>): Resolve {
  return (host) => Promise.resolve((table[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

function fetchIt(url: string, options: Partial<FetchOptions> = {}) {
  return fetchUrl(url, { blobs, allow: parseAllowList('127.0.0.1'), maxBytes: 1_000, signal: new AbortController().signal, ...options });
}

const NOBODY = parseAllowList('');

describe('what is fetched', () => {
  test('is stored under its hash', async () => {
    const port = await serve((_, response) => response.end('hello'));
    const info = await fetchIt(`http://127.0.0.1:${port}/a`);
    expect(info).toEqual({ sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', size: 5 });
    expect(Buffer.from(await blobs.read(info.sha256)).toString()).toBe('hello');
  });

  test('may be reached by a name on the allow-list, wherever that leads', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const allow = parseAllowList('files.internal');
    const { size } = await fetchIt(`http://files.internal:${port}/`, { allow, resolve: names({ 'files.internal': ['127.0.0.1'] }) });
    expect(size).toBe(`files.internal:${port}`.length);
  });

  test('may lie behind redirects, at most five', async () => {
    let hops = 0;
    const port = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      hops++;
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await fetchIt(`http://127.0.0.1:${port}/5`)).size).toBe(5);
    expect(hops).toBe(6);
    await expect(fetchIt(`http://127.0.0.1:${port}/6`)).rejects.toMatchObject({ code: 'fetch_rejected' });
  });
});

describe('the guard', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'no url',
  ])('refuses %s before it connects', async (url) => {
    await expect(fetchIt(url, { allow: NOBODY, resolve: names({}) })).rejects.toMatchObject({ code: 'url_not_allowed' });
  });

  test.each([[['10.0.0.1']], [['::ffff:127.0.0.1']], [['fd00::1']], [['100.64.0.1']], [['8.8.8.8', '192.168.0.1']]])(
    'refuses a name that resolves to %j at the moment of connecting',
    async (addresses) => {
      const url = 'http://rebound.example/';
      await expect(fetchIt(url, { allow: NOBODY, resolve: names({ 'rebound.example': addresses }) })).rejects.toMatchObject({
        code: 'url_not_allowed',
        message: expect.stringContaining('rebound.example resolves to'),
      });
    },
  );

  test('looks the name up anew for each connection, so a second answer does not slip through', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: `http://turning.example:${port}/again` }).end());
    const answers = ['127.0.0.1', '127.0.0.2'];
    const resolve: Resolve = () => Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
    await expect(fetchIt(`http://turning.example:${port}/`, { resolve })).rejects.toMatchObject({ code: 'url_not_allowed' });
    expect(answers).toEqual([]);
  });

  test.each(['http://10.0.0.1/', 'http://inside.example/', 'file:///etc/passwd'])('refuses a redirect to %s', async (location) => {
    const port = await serve((_, response) => response.writeHead(307, { location }).end());
    const resolve = names({ 'inside.example': ['10.0.0.1'] });
    await expect(fetchIt(`http://127.0.0.1:${port}/`, { resolve })).rejects.toMatchObject({ code: 'url_not_allowed' });
  });
});

describe('a server that', () => {
  test.each([
    [404, 'fetch_rejected'],
    [403, 'fetch_rejected'],
    [304, 'fetch_rejected'],
    [408, 'fetch_failed'],
    [503, 'fetch_failed'],
    [429, 'upstream_rate_limited'],
  ])('answers %i makes %s', async (status, code) => {
    const port = await serve((_, response) => response.writeHead(status, { 'retry-after': '7' }).end());
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code, retryAfterMs: status === 429 ? 7_000 : undefined });
  });

  test.each([
    ['Mon, 30 Nov 2026 12:00:09 GMT', 9_000],
    ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
    ['some day', undefined],
  ])('asks for patience until "%s" is waited for', async (date, retryAfterMs) => {
    const port = await serve((_, response) => response.writeHead(429, { 'retry-after': date }).end());
    const now = () => Date.UTC(2026, 10, 30, 12);
    await expect(fetchIt(`http://127.0.0.1:${port}/`, { now })).rejects.toMatchObject({ code: 'upstream_rate_limited', retryAfterMs });
  });

  test('is not there makes fetch_failed', async () => {
    const port = await serve(() => undefined);
    const [server] = servers.splice(0);
    server?.close();
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'fetch_failed' });
    await expect(fetchIt('http://nowhere.example/', { resolve: names({}) })).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  test('hangs up in the middle makes fetch_failed', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('part', () => response.destroy());
    });
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(await leftovers()).toEqual([]);
  });

  test('says it is too large is not read', async () => {
    const port = await serve((_, response) => response.writeHead(200, { 'content-length': '1001' }).flushHeaders());
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'file_too_large' });
  });

  test('never ends its body is cut off at the limit', async () => {
    const port = await serve((_, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(100)));
      };
      response.on('drain', more);
      more();
    });
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'file_too_large' });
    expect(await leftovers()).toEqual([]);
  });

  test('drips slowly is cut off at the time limit', async () => {
    const port = await serve((_, response) => {
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    await expect(fetchIt(`http://127.0.0.1:${port}/`, { limitMs: 150 })).rejects.toMatchObject({
      code: 'fetch_failed',
      message: 'The URL took longer than 150 ms.',
    });
    expect(await leftovers()).toEqual([]);
  });

  test('compresses although nobody asked is refused', async () => {
    const port = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb'));
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'fetch_rejected' });
  });
});

test('an abort ends it with the reason of the signal', async () => {
  const abort = new AbortController();
  const port = await serve(() => abort.abort(new Error('cancelled by a person')));
  await expect(fetchIt(`http://127.0.0.1:${port}/`, { signal: abort.signal })).rejects.toThrow('cancelled by a person');
});

/** What a failed fetch left in the blob store. */
async function leftovers(): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}
