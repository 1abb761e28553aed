import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardRouter } from './dashboard.ts';

let directory: string;
let http: Server;
let base: string;

async function serve(folder: string): Promise<[Server, string]> {
  const server = createServer(express().use(dashboardRouter(folder)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return [server, `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`];
}

beforeAll(async () => {
  directory = `${await mkdtemp('/tmp/galley-dashboard-')}/`;
  await mkdir(`${directory}assets`);
  await Promise.all([
    writeFile(`${directory}index.html`, '<title>the page</title>'),
    writeFile(`${directory}theme.js`, '1'),
    writeFile(`${directory}.secret`, '1'),
    writeFile(`${directory}assets/main-a1b2.js`, '2'),
    writeFile(`${directory}assets/main-a1b2.js.gz`, gzipSync('2')),
    writeFile(`${directory}assets/main-a1b2.js.br`, brotliCompressSync('2')),
    writeFile(`${directory}assets/small-c3d4.css`, '3'),
  ]);
  [http, base] = await serve(directory);
});
afterAll(async () => {
  http.close();
  await rm(directory, { recursive: true });
});

describe('the dashboard', () => {
  test('is one page at each of its addresses, asked for anew each time', async () => {
    for (const path of [
      '/',
      '/tasks',
      '/tasks/ocr-00-000000000000-aaaaaa',
      '/tasks/x/read?page=2',
      '/upload',
      '/dead-letters',
      '/system',
    ]) {
      const response = await fetch(base + path);
      expect([response.status, await response.text(), response.headers.get('cache-control')], path).toEqual([
        200,
        '<title>the page</title>',
        'no-cache',
      ]);
    }
  });

  test('is shown to a browser at an address that is none, and a program is not told a page', async () => {
    const at = (path: string, accept: string) => fetch(base + path, { headers: { accept } });
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/nowhere', '/tasks/x/y', '/.secret', '/nowhere%2Felse']) {
      const response = await at(path, browser);
      expect([response.status, await response.text(), response.headers.get('cache-control')], path).toEqual([
        404,
        '<title>the page</title>',
        'no-cache',
      ]);
      for (const accept of ['*/*', 'application/json']) expect(await (await at(path, accept)).text(), path).not.toContain('the page');
    }
    for (const path of ['/api/v1/nowhere', '/metrics/x', '/socket.io/x', '/assets/gone.js', '/healthz/x']) {
      const response = await at(path, browser);
      expect([response.status, (await response.text()).includes('the page')], path).toEqual([404, false]);
    }
    expect((await fetch(`${base}/nowhere`, { method: 'POST', headers: { accept: browser } })).status).toBe(404);
  });

  test('has files that are kept for good where their name carries a hash', async () => {
    expect((await fetch(`${base}/assets/main-a1b2.js`)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${base}/theme.js`)).headers.get('cache-control')).toBe('no-cache');
    for (const path of ['/assets/gone.js', '/.secret', '/nowhere', '/tasks/x/y']) expect((await fetch(base + path)).status, path).toBe(404);
  });

  test('goes out compressed in the way that a browser takes, and as it is to one that takes none', async () => {
    const at = async (path: string, accepted: string) => {
      const response = await fetch(base + path, { headers: { 'accept-encoding': accepted } });
      const { headers } = response;
      return [
        headers.get('content-encoding'),
        headers.get('content-type'),
        headers.get('cache-control'),
        headers.get('vary'),
        await response.text(),
      ];
    };
    const kept = 'public, max-age=31536000, immutable';
    const script = 'text/javascript; charset=utf-8';
    expect(await at('/assets/main-a1b2.js', 'gzip, deflate, br')).toEqual(['br', script, kept, 'accept-encoding', '2']);
    expect(await at('/assets/main-a1b2.js', 'gzip')).toEqual(['gzip', script, kept, 'accept-encoding', '2']);
    expect(await at('/assets/main-a1b2.js', 'identity')).toEqual([null, script, kept, 'accept-encoding', '2']);
    expect(await at('/assets/main-a1b2.js', 'br;q=0, gzip')).toEqual(['gzip', script, kept, 'accept-encoding', '2']);
    expect(await at('/assets/small-c3d4.css', 'gzip')).toEqual([null, 'text/css; charset=utf-8', kept, 'accept-encoding', '3']);
  });

  test('says how to build it where it is not built', async () => {
    const [empty, address] = await serve(`${directory}nothing/`);
    const response = await fetch(address);
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('npm run build')]);
    empty.close();
  });
});
