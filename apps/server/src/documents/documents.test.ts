import { request as httpRequest } from 'node:http';
import { problemSchema, submitDocumentsSchema, taskListSchema } from '@galley/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pngBytes, TestServer } from '../testing/start.ts';

const KILOBYTE = 1_000;
let galley: TestServer;

beforeAll(async () => {
  galley = await TestServer.start({ GALLEY_MAX_FILE_BYTES: String(100 * KILOBYTE) });
});
afterAll(() => galley.stop());

async function taskCount(): Promise<number | null> {
  return taskListSchema.parse((await galley.call('GET', '/api/v1/tasks')).body).total;
}

describe('uploading documents', () => {
  test('takes what is an image or PDF and says of each other file why not', async () => {
    const { status, body } = await galley.upload(
      [
        { name: 'plate.png', bytes: pngBytes('a') },
        { name: 'nothing.png', bytes: new Uint8Array() },
        { name: 'letter.png', bytes: Buffer.from('dear reader') },
        { name: 'photo.heic', bytes: Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic0000mif1heic'), Buffer.alloc(64)]) },
        { name: 'large.png', bytes: pngBytes('b', 300 * KILOBYTE) },
        { name: 'paper.txt', bytes: Buffer.from('%PDF-1.7\n%%EOF') },
      ],
      { priority: 'urgent', user_id: 'ada' },
    );
    expect(status).toBe(202);
    const { documents, rejected } = submitDocumentsSchema.parse(body);
    expect(documents.map(({ filename, priority, status: state, duplicate }) => [filename, priority, state, duplicate])).toEqual([
      ['plate.png', 1, 'pending', false],
      ['paper.txt', 1, 'pending', false],
    ]);
    expect(rejected.map(({ filename, code }) => [filename, code])).toEqual([
      ['nothing.png', 'empty_file'],
      ['letter.png', 'unsupported_format'],
      ['photo.heic', 'unsupported_format'],
      ['large.png', 'file_too_large'],
    ]);
    expect(rejected.find((file) => file.filename === 'photo.heic')?.detail).toContain('HEIC');
    const [first] = documents;
    expect(Buffer.from(await galley.blobs.read(first?.sha256 ?? ''))).toEqual(Buffer.from(pngBytes('a')));
  });

  test.each([
    ['..', '..'],
    ['/', '/'],
    ['folder/sub/plate.png', 'plate.png'],
    ['C:\\scans\\plate.png', 'plate.png'],
    ['../../etc/passwd', 'passwd'],
  ])('shows a file named %s as %s, and loses none', async (name, shown) => {
    const { status, body } = await galley.upload([{ name, bytes: pngBytes(`named ${name}`) }]);
    expect(status).toBe(202);
    expect(submitDocumentsSchema.parse(body).documents.map(({ filename }) => filename)).toEqual([shown]);
  });

  test('says what is wrong with a file without a name, and with a header that cannot be read', async () => {
    const send = async (header: string) => {
      const body = `--cut\r\nContent-Disposition: form-data; name="file"; ${header}\r\n\r\nx\r\n--cut--\r\n`;
      return galley.raw('POST', '/api/v1/documents', { 'content-type': 'multipart/form-data; boundary=cut' }, body);
    };
    const nameless = await send('filename=""');
    expect([nameless.status, nameless.text]).toEqual([400, expect.stringContaining('give each file a name')]);
    const control = await send('filename="a\u0001b.png"');
    expect([control.status, control.text]).toEqual([400, expect.stringContaining('a control character in a file name')]);
  });

  test.each([
    ['an empty file', [{ name: 'a.png', bytes: new Uint8Array() }], 415, 'empty_file'],
    ['text', [{ name: 'a.png', bytes: Buffer.from('text') }], 415, 'unsupported_format'],
    ['a large file', [{ name: 'a.png', bytes: pngBytes('c', 150 * KILOBYTE) }], 413, 'file_too_large'],
    [
      'refusals of several kinds',
      [
        { name: 'a.png', bytes: new Uint8Array() },
        { name: 'b.png', bytes: pngBytes('d', 150 * KILOBYTE) },
      ],
      422,
      'nothing_accepted',
    ],
    [
      'refusals with one status',
      [
        { name: 'a.png', bytes: new Uint8Array() },
        { name: 'b.png', bytes: Buffer.from('text') },
      ],
      415,
      'nothing_accepted',
    ],
  ])('answers %s alone as a problem with the outcomes beside it', async (_name, files, status, code) => {
    const answer = await galley.upload(files);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(problemSchema.parse(answer.body)).toMatchObject({ code, status });
    expect(submitDocumentsSchema.parse(answer.body).rejected).toHaveLength(files.length);
  });

  test('says that a document is a duplicate, per owner, and lifts it to the better priority', async () => {
    const file = { name: 'twice.png', bytes: pngBytes('twice') };
    const once1 = submitDocumentsSchema.parse((await galley.upload([file], { user_id: 'bo', priority: 'bulk' })).body).documents[0];
    const again = submitDocumentsSchema.parse((await galley.upload([{ ...file, name: 'copy.png' }], { user_id: 'bo', priority: '7' })).body)
      .documents[0];
    expect(again).toMatchObject({ task_id: once1?.task_id, duplicate: true, priority: 7 });
    const other = submitDocumentsSchema.parse((await galley.upload([file], { user_id: 'cy' })).body).documents[0];
    const asked = submitDocumentsSchema.parse((await galley.upload([file], { user_id: 'bo', dedupe: 'false' })).body).documents[0];
    expect(new Set([once1?.task_id, other?.task_id, asked?.task_id]).size).toBe(3);
  });

  test('keeps names as text: UTF-8, without paths, control characters or direction marks', async () => {
    const names = ['发票 №7.png', '../../etc/passwd', 'a\u202egnp.exe', `${'x'.repeat(400)}.png`];
    const answer = await galley.upload(names.map((name, index) => ({ name, bytes: pngBytes(`name ${index}`) })));
    const shown = submitDocumentsSchema.parse(answer.body).documents.map((document) => document.filename);
    expect(shown.slice(0, 3)).toEqual(['发票 №7.png', 'passwd', 'agnp.exe']);
    expect(shown[3]).toHaveLength(255);
    expect(shown[3]?.endsWith('xxx.png')).toBe(true);
  });

  test('refuses a hundred and one files whole', async () => {
    const before = await taskCount();
    const files = Array.from({ length: 101 }, (_, index) => ({ name: `${index}.png`, bytes: pngBytes(`many ${index}`) }));
    const answer = await galley.upload(files);
    expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([413, 'too_many_files']);
    expect(await taskCount()).toBe(before);
    const hundred = await galley.upload(files.slice(0, 100));
    expect(submitDocumentsSchema.parse(hundred.body).documents).toHaveLength(100);
  });

  test.each([
    [{ priority: 'soon' }, /priority/],
    [{ user_id: 'a b' }, /user_id/],
    [{ colour: 'red' }, /colour|Unrecognized/],
  ])('refuses the form %o and names the field', async (fields, words) => {
    const answer = await galley.upload([{ name: 'a.png', bytes: pngBytes('form') }], fields);
    expect(answer.status).toBe(400);
    expect(problemSchema.parse(answer.body).detail).toMatch(words);
  });

  test('refuses an engine that is not here, a form without files, and a body that is no form', async () => {
    const engine = await galley.upload([{ name: 'a.png', bytes: pngBytes('engine') }], { engine: 'glm-ocr' });
    expect([engine.status, problemSchema.parse(engine.body).code]).toEqual([422, 'engine_unavailable']);
    expect((await galley.upload([])).status).toBe(400);
    expect((await galley.call('POST', '/api/v1/documents', { file: 'x' })).status).toBe(400);
  });

  test('an engine that is configured has a queue of its own, by upload and by URL', async () => {
    const other = await TestServer.start({ GALLEY_GLM_OCR_URL: 'http://127.0.0.1:9' });
    try {
      expect((await other.call('GET', '/readyz')).body).toMatchObject({ engines: expect.arrayContaining(['glm-ocr']) });
      const uploaded = await other.upload([{ name: 'a.png', bytes: pngBytes('engine') }], { engine: 'glm-ocr' });
      const [document] = submitDocumentsSchema.parse(uploaded.body).documents;
      expect(document?.task_id).toMatch(/^glm-ocr-\d\d-/);
      const fetched = await other.call('POST', '/api/v1/tasks', { image_url: 'https://example.com/a.png', engine: 'glm-ocr' });
      expect(fetched).toMatchObject({ status: 202, body: { task_id: expect.stringMatching(/^glm-ocr-/) } });
      const listed = await other.call('GET', '/api/v1/tasks?queue=glm-ocr');
      expect(listed.body).toMatchObject({
        tasks: [
          { queue: 'glm-ocr', engine: 'glm-ocr' },
          { queue: 'glm-ocr', engine: 'glm-ocr' },
        ],
      });
      const usual = await other.upload([{ name: 'a.png', bytes: pngBytes('engine') }]);
      expect(submitDocumentsSchema.parse(usual.body).documents[0]).toMatchObject({
        task_id: expect.stringMatching(/^ocr-/),
        duplicate: false,
      });
    } finally {
      await other.stop();
    }
  });

  test('an upload that breaks off leaves nothing behind', async () => {
    const [files, tasks] = [await galley.storedFiles(), await taskCount()];
    const url = new URL(`${galley.base}/api/v1/documents`);
    const part = (name: string): string => `--edge\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
    const sent = httpRequest(url, { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=edge' } });
    sent.on('error', () => undefined);
    sent.write(part('whole.png'));
    sent.write(pngBytes('whole', 20 * KILOBYTE));
    sent.write(`\r\n${part('half.png')}`);
    sent.write(pngBytes('half', 20 * KILOBYTE));
    await vi.waitFor(async () => expect((await galley.storedFiles()).length).toBeGreaterThan(files.length));
    sent.destroy();
    await new Promise((resolve) => sent.once('close', resolve));
    await vi.waitFor(async () => expect((await galley.storedFiles()).sort()).toEqual(files.sort()));
    expect(await taskCount()).toBe(tasks);
  });

  test('refuses a request larger than all files together may be, without reading it', async () => {
    const answer = await galley
      .raw('POST', '/api/v1/documents', {
        'content-type': 'multipart/form-data; boundary=edge',
        'content-length': '900000000000',
      })
      .catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 413 });
  });
});
