import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DOCUMENT_TASK, INLINE_RESULT_BYTES, PAGE_TASK } from '@galley/contract';
import { childId, fanOut, type Handler, inProcess, Worker } from '@galley/core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { makePdf } from './testing/pdf.ts';
import { pagePicture, tiffOf } from './testing/pictures.ts';
import { Stage, sharedDirectory } from './testing/stage.ts';

const LINES = ['The galley is where a ship is fed', 'and where a printer keeps his type', 'until the page is ready to be read.'];
const RESULT_MS = 600_000;

// Processes that start and pages that are read take long on a machine that is busy with other things.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open({
    environment: { GALLEY_SLOTS: '2', GALLEY_URL_ALLOW: '127.0.0.1', GALLEY_RESULT_MS: String(RESULT_MS), GALLEY_MAX_PAGES: '50' },
  });
  await stage.startWorker().started();
});

afterAll(() => stage.close());

function words(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}

function sixPages(): Buffer {
  return makePdf(Array.from({ length: 6 }, (_, index) => ({ text: `This is the text of page ${index + 1}.` })));
}

describe('a short document', () => {
  test('is read in one run: text, boxes, picture, counters', async () => {
    const picture = await pagePicture(LINES);
    const id = await stage.submitFile(picture, { filename: 'galley.png' });
    await stage.reaches(id, 'completed');
    const { result, images } = await stage.document(id);
    expect(words(result.text)).toBe(LINES.join(' '));
    expect(result.warnings).toEqual([]);
    expect(result.timings).toMatchObject({ recognise: expect.any(Number), total: expect.any(Number) });
    const { width, height } = await sharp(picture).metadata();
    expect(result.pages).toMatchObject([{ page: 1, width, height, engine: 'onnx', source: 'image' }]);
    const [image] = images;
    expect(image).toMatchObject({ page: 1, media_type: 'image/jpeg', width, height });
    expect((await sharp(await stage.blobs.read(image?.sha256 ?? '')).metadata()).format).toBe('jpeg');
    expect(await stage.inspector.totals()).toMatchObject({
      'counter:pages:onnx:ok': expect.any(Number),
      'counter:pages': expect.any(Number),
    });
  });

  test('may have several pages', async () => {
    const id = await stage.submitFile(
      await tiffOf([await pagePicture(['The first of two pages']), await pagePicture(['And the second one too'])]),
    );
    await stage.reaches(id, 'completed');
    const { result, images } = await stage.document(id);
    expect(result.pages.map(({ blocks }) => blocks.map(({ text }) => text))).toEqual([
      ['The first of two pages'],
      ['And the second one too'],
    ]);
    expect(images.map(({ page }) => page)).toEqual([1, 2]);
  });

  test('states the page that failed and keeps the others', async () => {
    const id = await stage.submitFile(makePdf([{ text: 'A sound page of a broken file.' }, 'missing']));
    await stage.reaches(id, 'completed');
    const { result, images } = await stage.document(id);
    expect(result.pages).toMatchObject([
      { page: 1, engine: 'text-layer' },
      { page: 2, error: { code: 'corrupt_document' } },
    ]);
    expect(result.text).toBe('A sound page of a broken file.');
    expect(result.warnings).toHaveLength(1);
    expect(images.map(({ page }) => page)).toEqual([1]);
  });

  test('whose result is large is kept as a blob', async () => {
    const text = Array.from({ length: 44 }, (_, line) => `Line ${line + 1} of a page that has a great deal to say.`).join('\n');
    const id = await stage.submitFile(makePdf([{ text }, { text }, { text }, { text }]));
    await stage.reaches(id, 'completed');
    const held = await stage.inspector.result(id);
    expect(held?.value.length).toBeLessThan(200);
    const { result } = await stage.document(id);
    expect(JSON.stringify(result).length).toBeGreaterThan(INLINE_RESULT_BYTES);
    expect(result.pages).toHaveLength(4);
  });

  test('phototest.tif reads exactly as its gold text', async ({ annotate }) => {
    const scans = path.join(sharedDirectory(), 'samples/scans');
    if (!existsSync(scans)) {
      await annotate(`${scans} is not there, so phototest.tif was not read`, 'notice');
      return;
    }
    const id = await stage.submitFile(await readFile(path.join(scans, 'phototest.tif')), { filename: 'phototest.tif' });
    await stage.reaches(id, 'completed');
    expect(words((await stage.document(id)).result.text)).toBe(words(await readFile(path.join(scans, 'phototest.gold.txt'), 'utf8')));
  });
});

describe('a long document', () => {
  test('fans out and is put together, a broken page stated; its pages stay for a revival', async () => {
    const pages = Array.from({ length: 6 }, (_, index) =>
      index === 3 ? ('missing' as const) : { text: `This is the text of page ${index + 1}.` },
    );
    const id = await stage.submitFile(makePdf(pages));
    const task = await stage.reaches(id, 'completed');
    expect(task.children).toEqual({ total: 6, completed: 5, failed: 1 });
    const { result, images } = await stage.document(id);
    expect(result.pages.map(({ page, error }) => [page, error?.code])).toEqual(
      [1, 2, 3, 4, 5, 6].map((page) => [page, page === 4 ? 'corrupt_document' : undefined]),
    );
    expect(result.text.split('\n\n')).toEqual([1, 2, 3, 5, 6].map((page) => `This is the text of page ${page}.`));
    expect(images.map(({ page }) => page)).toEqual([1, 2, 3, 5, 6]);
    expect(await stage.inspector.get(childId(id, 4))).toMatchObject({ state: 'dead_letter', errors: [{ code: 'corrupt_document' }] });
    const first = await stage.inspector.get(childId(id, 1));
    expect((first?.resultExpiresAt ?? 0) - (task.resultExpiresAt ?? 0)).toBeGreaterThan(RESULT_MS);
  });

  test('without a failed page takes its pages along when it expires', async () => {
    const id = await stage.submitFile(sixPages());
    const task = await stage.reaches(id, 'completed');
    const expiry = task.resultExpiresAt ?? 0;
    for (const page of await stage.inspector.children(id, 1, 6)) {
      expect(page?.resultExpiresAt).toBeGreaterThanOrEqual(expiry);
      expect(page?.resultExpiresAt).toBeLessThan(expiry + 120_000);
    }
  });

  test('over the page limit is refused', async () => {
    const id = await stage.submitFile(makePdf(Array.from({ length: 51 }, () => ({ text: 'x' }))));
    const task = await stage.reaches(id, 'dead_letter');
    expect(task.errors).toMatchObject([{ code: 'too_many_pages', message: expect.stringContaining('the limit is 50') }]);
  });
});

describe('bad input becomes a dead letter at once, with its reason:', () => {
  test.each([
    ['zero bytes', Buffer.alloc(0), 'empty_file'],
    ['text named .png', Buffer.from('This is no picture at all.\n'.repeat(50)), 'unsupported_format'],
    ['a PDF that needs a password', makePdf([{ text: 'secret' }], { encrypted: true }), 'encrypted_document'],
    ['a PDF that is cut short', sixPages().subarray(0, 400), 'corrupt_document'],
    ['a picture that cannot be decoded', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200, 7)]), 'corrupt_document'],
    ['a document whose every page is damaged', makePdf(['missing', 'missing']), 'corrupt_document'],
  ])('%s', async (_, bytes, code) => {
    const task = await stage.reaches(await stage.submitFile(bytes), 'dead_letter');
    expect(task.errors).toMatchObject([{ code, attempt: 1 }]);
  });

  test('an engine that is not there', async () => {
    const task = await stage.reaches(await stage.submitFile(await pagePicture(['text']), { engine: 'glm-ocr' }), 'dead_letter');
    expect(task.errors).toMatchObject([{ code: 'engine_unavailable' }]);
  });

  test('a payload of another shape, or that names nothing', async () => {
    const wrong = await stage.queue.submit(DOCUMENT_TASK, { sha256: 'x', engine: 'auto' });
    const empty = await stage.queue.submit(DOCUMENT_TASK, { engine: 'auto' });
    expect((await stage.reaches(wrong.id, 'dead_letter')).errors).toMatchObject([
      { code: 'payload_invalid', message: expect.stringContaining('sha256') },
    ]);
    expect((await stage.reaches(empty.id, 'dead_letter')).errors).toMatchObject([{ code: 'payload_invalid' }]);
  });

  test('a file that is in no blob store of this worker', async () => {
    const { id } = await stage.queue.submit(DOCUMENT_TASK, { sha256: 'ab'.repeat(32), engine: 'auto' });
    expect((await stage.reaches(id, 'dead_letter')).errors).toMatchObject([{ code: 'blob_missing' }]);
  });
});

describe('a URL', () => {
  test('is fetched and read', async () => {
    const picture = await pagePicture(['Fetched from another place']);
    const server = createServer((_, response) => response.end(picture)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const id = await stage.submitUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page.png`);
    await stage.reaches(id, 'completed');
    expect((await stage.document(id)).result.text).toBe('Fetched from another place');
    server.close();
    await once(server, 'close');
  });

  test('of a private address is refused', async () => {
    const task = await stage.reaches(await stage.submitUrl('http://[::ffff:10.0.0.1]/page.png'), 'dead_letter');
    expect(task.errors).toMatchObject([{ code: 'url_not_allowed' }]);
  });
});

describe('pages that died of a missing file', () => {
  test('are read after a revival, and their document is put together again', async () => {
    const own = await Stage.open({ environment: { GALLEY_RESULT_MS: String(RESULT_MS) } });
    try {
      const bytes = sixPages();
      const id = await own.submitFile(bytes);
      const { sha256 } = await own.blobs.put(bytes);
      const pages = Array.from({ length: 6 }, (_, index) => ({ type: PAGE_TASK, payload: { page: index + 1, sha256, engine: 'auto' } }));
      // Stands in for the first run of a worker that has the file: it fans out, and stops before it claims a page.
      let stopped = Promise.resolve();
      const split: Handler = () => {
        stopped = splitter.stop(60_000);
        return Promise.resolve(fanOut(pages));
      };
      const executor = inProcess({ [DOCUMENT_TASK]: split });
      const splitter = new Worker({ connection: own.connection, queues: [own.queue], slots: 1, executor });
      await own.blobs.delete(sha256);
      await splitter.start();
      await own.reaches(id, 'waiting');
      await stopped;
      await own.startWorker().started();
      await own.reaches(id, 'completed');
      expect((await own.document(id)).result.pages.map(({ error }) => error?.code)).toEqual(
        Array.from({ length: 6 }, () => 'blob_missing'),
      );

      await own.blobs.put(bytes);
      const children = pages.map((_, index) => childId(id, index + 1));
      expect(await own.queue.revive(children)).toEqual(children.map(() => 'revived'));
      await own.until(id, (task) => task.state === 'completed' && task.children?.completed === 6);
      expect((await own.document(id)).result.text.split('\n\n')).toHaveLength(6);
    } finally {
      await own.close();
    }
  });
});
