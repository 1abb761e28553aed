import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { problemSchema, submitDocumentsSchema } from '@galley/contract';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pngBytes, TestServer } from '../testing/start.ts';
import { UPLOADS_PATH } from './upload-router.ts';
import { openUploadStore, uploadDirectory } from './upload-store.ts';

const TUS = { 'tus-resumable': '1.0.0' };
let galley: TestServer;
let second: TestServer;
beforeAll(async () => {
  galley = await TestServer.start({ GALLEY_MAX_FILE_BYTES: '3000000' });
  second = await TestServer.beside(galley, { GALLEY_MAX_FILE_BYTES: '3000000' });
});
afterAll(async () => {
  await second.stop();
  await galley.stop();
});

const encode = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

function begin(server: TestServer, bytes: number, metadata: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
  const own = { ...TUS, 'upload-length': String(bytes), 'upload-metadata': encode(metadata), ...headers };
  return fetch(server.base + UPLOADS_PATH, { method: 'POST', headers: own });
}

function send(server: TestServer, location: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) {
  const own = { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers };
  return fetch(server.base + location, { method: 'PATCH', headers: own, body: bytes });
}

async function offsetOf(server: TestServer, location: string): Promise<number> {
  const answer = await fetch(server.base + location, { method: 'HEAD', headers: TUS });
  return answer.ok ? Number(answer.headers.get('upload-offset')) : -answer.status;
}

const pieces = (server: TestServer): Promise<string[]> => readdir(uploadDirectory(server.directory));
const codeOf = async (answer: Response): Promise<string> => problemSchema.parse(await answer.json()).code;

describe('a resumable upload', () => {
  test('by a client that is not ours becomes a document as if it had come in one piece', async () => {
    const bytes = pngBytes('by tus', 2_000_000);
    const answer = await new Promise<string>((resolve, reject) => {
      const upload = new Upload(Buffer.from(bytes), {
        endpoint: galley.base + UPLOADS_PATH,
        chunkSize: 300_000,
        metadata: { filename: 'große Datei.png', filetype: 'image/png', priority: 'high' },
        onError: reject,
        onSuccess: ({ lastResponse }) => resolve(lastResponse.getBody()),
      });
      upload.start();
    });
    const { documents } = submitDocumentsSchema.parse(JSON.parse(answer));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(documents).toMatchObject([{ filename: 'große Datei.png', sha256, priority: 10, status: 'pending', duplicate: false }]);
    expect(await galley.blobs.stat(sha256)).toMatchObject({ size: bytes.length });
    expect(await pieces(galley)).toEqual([]);
    expect((await galley.upload([{ name: 'again.png', bytes }])).body).toMatchObject({ documents: [{ duplicate: true }] });
  });

  test('goes on where it broke off, at another server too', async () => {
    const bytes = pngBytes('broken off', 200_000);
    const begun = await begin(galley, bytes.length, { filename: 'a.png' });
    const location = begun.headers.get('location') ?? '';
    expect([begun.status, location]).toEqual([201, expect.stringMatching(/^\/api\/v1\/uploads\/[0-9a-f]{32}$/)]);
    expect((await send(galley, location, 0, bytes.subarray(0, 70_000))).status).toBe(204);
    expect(await offsetOf(second, location)).toBe(70_000);
    const wrong = await send(second, location, 60_000, bytes.subarray(60_000));
    const { code, detail } = (await wrong.json()) as { code: string; detail: string };
    expect([wrong.status, code, detail]).toEqual([409, 'invalid_state', expect.stringContaining('HEAD')]);
    const last = await send(second, location, 70_000, bytes.subarray(70_000));
    expect(last.status).toBe(200);
    expect(submitDocumentsSchema.parse(await last.json()).documents).toMatchObject([{ filename: 'a.png' }]);
    expect(await offsetOf(galley, location)).toBe(-404);
  });

  test('two requests never write at once: the one before lets go', async () => {
    const bytes = pngBytes('two at once', 100_000);
    const location = (await begin(galley, bytes.length, { filename: 'b.png' })).headers.get('location') ?? '';
    // A request that sends a little and then hangs, as one whose line broke: nobody ends it but the server.
    const hanging = fetch(galley.base + location, {
      method: 'PATCH',
      headers: { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(bytes.subarray(0, 10_000)) }),
      duplex: 'half',
    }).catch(() => null);
    // A HEAD waits for no lock while nobody has it, so the first bytes are waited for.
    let offset = 0;
    while (offset < 10_000) offset = await offsetOf(second, location);
    const last = await send(second, location, offset, bytes.subarray(offset));
    expect(last.status).toBe(200);
    await hanging;
  });

  test('that is no picture, empty or too large is refused in words and leaves nothing', async () => {
    const text = Buffer.from('just text, whatever its name says'.repeat(10));
    const location = (await begin(galley, text.length, { filename: 'c.png' })).headers.get('location') ?? '';
    const refused = await send(galley, location, 0, text);
    expect([refused.status, await codeOf(refused)]).toEqual([415, 'unsupported_format']);
    expect(await codeOf(await begin(galley, 0, { filename: 'd.png' }))).toBe('empty_file');
    const large = await begin(galley, 3_000_001, { filename: 'e.png' });
    expect([large.status, await codeOf(large)]).toEqual([413, 'payload_too_large']);
    expect(await pieces(galley)).toEqual([]);
  });

  test.each([
    [{ priority: 'soonest' }, 'invalid_request'],
    [{ unknown: '1' }, 'invalid_request'],
    [{ engine: 'glm-ocr' }, 'engine_unavailable'],
    [{ callback_url: 'https://receiver.example/' }, 'not_implemented'],
  ])('asked for with %j is refused before a byte is sent', async (metadata, code) => {
    expect(await codeOf(await begin(galley, 10, { filename: 'f.png', ...metadata }))).toBe(code);
    expect(await pieces(galley)).toEqual([]);
  });

  test.each(['..', '%2e%2e%2fdump.rdb', 'a'.repeat(32), `${'a'.repeat(32)}.json`])('at the address %s is none', async (id) => {
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const headers = { host: new URL(galley.base).host, ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
      expect([method, (await galley.raw(method, `${UPLOADS_PATH}/${id}`, headers)).status]).toEqual([method, 404]);
    }
  });

  test('that nobody finishes leaves nothing once its time is over, and one that is taken back nothing at once', async () => {
    const location = (await begin(galley, 100, { filename: 'g.png' })).headers.get('location') ?? '';
    await send(galley, location, 0, pngBytes('g', 50));
    expect(await (await openUploadStore(galley.directory, 3_600_000)).deleteExpired()).toBe(0);
    expect(await (await openUploadStore(galley.directory, 1)).deleteExpired()).toBe(1);
    expect([await offsetOf(galley, location), await pieces(galley)]).toEqual([-404, []]);
    const other = (await begin(galley, 100, { filename: 'h.png' })).headers.get('location') ?? '';
    expect((await fetch(galley.base + other, { method: 'DELETE', headers: TUS })).status).toBe(204);
    expect(await pieces(galley)).toEqual([]);
    expect((await galley.storedFiles()).filter((file) => !/[0-9a-f]{64}$/.test(file))).toEqual([]);
  });

  test('no other site may read or send', async () => {
    const answer = await begin(galley, 10, { filename: 'i.png' }, { origin: 'https://evil.example' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const own = await fetch(galley.base + UPLOADS_PATH, { method: 'OPTIONS' });
    expect(own.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('what cannot be submitted yet lacks its last byte, so that the client comes back with it', async () => {
  const full = await TestServer.start({ GALLEY_DEPTH_LIMIT: '1', GALLEY_SHARDS: '1' });
  await full.upload([{ name: 'first.png', bytes: pngBytes('first') }]);
  const bytes = pngBytes('later', 1_000);
  const location = (await begin(full, bytes.length, { filename: 'later.png' })).headers.get('location') ?? '';
  const refused = await send(full, location, 0, bytes);
  expect([refused.status, await codeOf(refused)]).toEqual([429, 'queue_full']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await offsetOf(full, location)).toBe(999);
  const { tasks } = (await full.call('GET', '/api/v1/tasks')).body as { tasks: { task_id: string }[] };
  await full.call('DELETE', `/api/v1/tasks/${tasks[0]?.task_id}`);
  expect((await send(full, location, 999, bytes.subarray(999))).status).toBe(200);
  await full.stop();
});

test("with tokens an upload is its owner's, and a viewer may not begin one", async () => {
  const directory = await mkdtemp('/tmp/galley-uploads-');
  const file = path.join(directory, 'tokens');
  const line = (token: string, rest: string): string => `${createHash('sha256').update(token).digest('hex')} ${rest}`;
  await writeFile(file, [line('ada', 'ada user 100'), line('bo', 'bo user'), line('vi', 'vi viewer')].join('\n'));
  const guarded = await TestServer.start({ GALLEY_TOKENS_FILE: file });
  const as = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  expect((await begin(guarded, 10, { filename: 'a.png' })).status).toBe(401);
  expect((await begin(guarded, 10, { filename: 'a.png' }, as('vi'))).status).toBe(403);
  expect((await begin(guarded, 10, { filename: 'a.png', priority: 'urgent' }, as('ada'))).status).toBe(403);
  const bytes = pngBytes('owned', 100);
  const location = (await begin(guarded, 100, { filename: 'a.png', galley_owner: 'bo' }, as('ada'))).headers.get('location') ?? '';
  expect((await send(guarded, location, 0, bytes, as('bo'))).status).toBe(404);
  const done = await send(guarded, location, 0, bytes, as('ada'));
  const { documents } = submitDocumentsSchema.parse(await done.json());
  const task = await guarded.call('GET', `/api/v1/tasks/${documents[0]?.task_id}`, undefined, as('ada'));
  expect(task.body).toMatchObject({ user_id: 'ada' });
  await guarded.stop();
  await rm(directory, { recursive: true });
});
