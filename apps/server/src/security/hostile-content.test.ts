import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { submitDocumentsSchema } from '@galley/contract';
import { startTemporaryRedisServer } from '@galley/core';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseConfig } from '../config.ts';
import { startServer } from '../server.ts';
import { hashToken, Tokens } from '../session/tokens.ts';
import { readsAs } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
beforeAll(async () => {
  galley = await TestServer.start();
  await galley.work(readsAs(galley.blobs, 'text'));
});
afterAll(() => galley.stop());

const NAMES = [
  '../../../etc/passwd.png',
  '..\\..\\windows\\system32.png',
  '/etc/cron.d/evil.png',
  'a"; filename="b.exe.png',
  'a\u202egnp.exe',
  '<script>alert(1)</script>.png',
  '=cmd|calc.png',
  '.htaccess',
  '..',
  `${'長'.repeat(400)}.png`,
  'CON.png',
];

test.each(NAMES)('a file called %j is stored under its hash, and downloaded under a harmless name', async (name) => {
  const before = new Set(await readdir(galley.directory));
  const bytes = pngBytes(name.slice(0, 40));
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  const answer = await fetch(`${galley.base}/api/v1/documents`, { method: 'POST', body: form });
  const [document] = submitDocumentsSchema.parse(await answer.json()).documents;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(document?.sha256).toBe(sha256);
  expect(document?.filename).not.toMatch(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/);
  expect((await readdir(galley.directory)).filter((entry) => !before.has(entry) && entry !== 'blobs')).toEqual([]);
  const id = document?.task_id ?? '';
  await vi.waitFor(
    async () => expect((await galley.call('GET', `/api/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed' }),
    10_000,
  );
  for (const file of await galley.storedFiles()) expect(path.basename(file)).toMatch(/^[0-9a-f]{64}$/);
  const result = await galley.call('GET', `/api/v1/tasks/${id}/result?format=markdown`);
  const disposition = result.headers.get('content-disposition') ?? '';
  expect(disposition).toMatch(/^attachment; filename="[^"\\/]*"(; filename\*=UTF-8''[A-Za-z0-9%._~!$&+^`|-]*)?$/);
  expect(disposition).not.toMatch(/%2f|%5c|%0[ad]/i);
  expect(result.headers.get('content-security-policy')).toBe('sandbox');
  expect(result.headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['an HTML page', '<html><script>alert(1)</script></html>'],
  ['an SVG drawing', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['a zip archive', 'PK\u0003\u0004'.padEnd(200, 'x')],
  ['a program', '\u007fELF'.padEnd(200, 'x')],
  ['a PostScript file', '%!PS-Adobe-3.0 EPSF-3.0'.padEnd(200, ' ')],
])('%s is refused whatever its name and its type say', async (_, text) => {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'image/png' }), 'harmless.png');
  const answer = await fetch(`${galley.base}/api/v1/documents`, { method: 'POST', body: form });
  expect(answer.status).toBe(415);
});

test('what comes into the log is one line of JSON each, whatever was sent', async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const redis = await startTemporaryRedisServer();
  const directory = await mkdtemp('/tmp/galley-log-');
  // Where blobs should lie is a file, so each upload fails inside, and is logged.
  await writeFile(path.join(directory, 'blobs'), '');
  const config = parseConfig({ GALLEY_REDIS_URL: redis.url, GALLEY_PORT: '0', GALLEY_DATA_DIR: directory });
  const server = await startServer(config, pino({ level: 'debug' }, sink));
  await server.opened;
  const forged = 'x\n{"level":60,"msg":"forged"}\r\n';
  for (const name of [`${forged}.png`, '\u2028.png', '{"msg":"forged"}.png']) {
    const form = new FormData();
    form.append('file', new Blob([pngBytes(name)]), name);
    const answer = await fetch(`${server.address}/api/v1/documents`, {
      method: 'POST',
      body: form,
      headers: { 'x-request-id': '"},{"msg":"forged"', 'user-agent': '{"msg":"forged"}' },
    });
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).not.toContain(directory);
  }
  await fetch(`${server.address}/api/v1/tasks/${encodeURIComponent(forged)}`);
  await server.stop();
  await redis.stop();
  await rm(directory, { recursive: true });
  const failures = lines.filter((line) => line.includes('a request failed'));
  expect(failures).toHaveLength(3);
  for (const line of lines) {
    expect(line.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(line)).not.toMatchObject({ msg: 'forged' });
    expect(line).not.toContain('\u001b');
  }
});

test('finding a token takes as long whichever it is, first, last or none', () => {
  const hashes = Array.from({ length: 4_000 }, () => randomBytes(32));
  const lines = hashes.map((hash, index) => `${hash.toString('hex')} user-${index} user`);
  const tokens = Tokens.parse(lines.join('\n'), 'tokens');
  const [first = Buffer.alloc(32), last = Buffer.alloc(32)] = [hashes[0], hashes.at(-1)];
  // Differs from the first in its last byte alone.
  const near = Buffer.from(first);
  near[31] = (near[31] ?? 0) ^ 1;
  const least = new Map<string, number>();
  const candidates = { first, last, near, none: hashToken('nobody') };
  for (let round = 0; round < 60; round++) {
    for (const [name, hash] of Object.entries(candidates)) {
      const from = performance.now();
      tokens.find(hash);
      least.set(name, Math.min(least.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - from));
    }
  }
  const times = [...least.values()];
  // One that stopped at the first match would be thousands of times quicker there.
  expect(Math.max(...times) / Math.min(...times)).toBeLessThan(3);
});

test('a session cannot be chosen by whoever wants to share it, and ends for good', async () => {
  const directory = await mkdtemp('/tmp/galley-session-');
  const file = path.join(directory, 'tokens');
  await writeFile(file, `${createHash('sha256').update('ada').digest('hex')} ada user`);
  const guarded = await TestServer.start({ GALLEY_TOKENS_FILE: file });
  const chosen = 'galley_session=chosen-by-somebody-else';
  const login = await guarded.call('POST', '/api/v1/session', { token: 'ada' }, { cookie: chosen });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(cookie).not.toBe(chosen);
  const status = async (value: string): Promise<number> =>
    (await guarded.call('GET', '/api/v1/session', undefined, { cookie: value })).status;
  expect([await status(chosen), await status(cookie)]).toEqual([401, 200]);
  // What stands in Redis is worth nothing as a cookie.
  const keys = await guarded.connection.client.keys('galley:session:*');
  expect(keys.join(' ')).not.toContain(cookie.split('=')[1]);
  const hashed = keys.map((key) => `galley_session=${key.split(':')[2]}`);
  for (const value of hashed) expect(await status(value)).toBe(401);
  await guarded.call('DELETE', '/api/v1/session', undefined, { cookie });
  expect(await status(cookie)).toBe(401);
  await guarded.stop();
  await rm(directory, { recursive: true });
});
