import { GLM_OCR_QUEUE } from '@galley/contract';
import { listWorkers } from '@galley/core';
import { GlmOcrServer } from '@galley/ocr';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makePdf } from './testing/pdf.ts';
import { pagePicture } from './testing/pictures.ts';
import type { SpawnedWorker } from './testing/spawned-worker.ts';
import { Stage } from './testing/stage.ts';

const SLOTS = 3;
const RETRY_AFTER_S = 1;

let server: GlmOcrServer;
let stage: Stage;
let worker: SpawnedWorker;
beforeAll(async () => {
  server = await GlmOcrServer.start();
  stage = await Stage.open({
    queue: GLM_OCR_QUEUE,
    environment: {
      GALLEY_GLM_OCR_URL: server.address,
      GALLEY_GLM_OCR_KEY: 'a-secret-key',
      GALLEY_GLM_OCR_SLOTS: String(SLOTS),
      GALLEY_GLM_OCR_TIMEOUT_MS: '60000',
      GALLEY_LOG_LEVEL: 'debug',
    },
  });
  worker = stage.startWorker();
  await worker.started();
});
afterEach(() => {
  server.next.length = 0;
  server.otherwise = { kind: 'answer', text: 'Received with thanks.' };
});
afterAll(async () => {
  await stage.close();
  await server.close();
});

let pictures = 0;
const submit = async (options: Parameters<Stage['submitFile']>[1] = {}): Promise<string> =>
  stage.submitFile(await pagePicture([`page ${++pictures}`]), { ...options, engine: 'glm-ocr' });

test('a document of its queue is read by the served model and has its picture', async () => {
  server.next.push({ kind: 'answer', text: '# Bill of lading\n\nTwo sacks' });
  const id = await submit();
  await stage.reaches(id, 'completed');
  const { result, images } = await stage.document(id);
  expect(result.pages).toMatchObject([{ page: 1, engine: 'glm-ocr', blocks: [{ type: 'title' }, { type: 'text', text: 'Two sacks' }] }]);
  expect(result).toMatchObject({ text: 'Bill of lading\n\nTwo sacks', warnings: [] });
  expect(images).toHaveLength(1);
  expect(server.requests.at(-1)?.authorization).toBe('Bearer a-secret-key');
});

test('a long document fans out within its queue, page by page', async () => {
  server.otherwise = { kind: 'answer', text: `Cargo${' the'.repeat(2_000)}`, finishReason: 'length' };
  const id = await stage.submitFile(makePdf(Array.from({ length: 6 }, (_, index) => ({ text: `page ${index + 1}` }))), {
    engine: 'glm-ocr',
  });
  const task = await stage.reaches(id, 'completed');
  expect(task).toMatchObject({ children: { total: 6, completed: 6 } });
  const { result } = await stage.document(id);
  expect(result.pages.every(({ engine, source }) => engine === 'glm-ocr' && source === 'pdf-render')).toBe(true);
  expect(result.warnings).toHaveLength(6);
  expect(result.warnings[2]).toMatch(/repeated "the" 2000 times on page 3/);
});

test('as many tasks wait for the model at once as its own slots say, whatever the slots of the cores; a cancel gives its request up', async () => {
  server.otherwise = { kind: 'silence' };
  const ids = await Promise.all(Array.from({ length: SLOTS + 2 }, () => submit()));
  await server.until(() => server.open === SLOTS);
  expect(server.mostOpen).toBe(SLOTS);
  const workers = await listWorkers(stage.connection);
  const slots = Object.fromEntries(workers.map((one) => [one.queues.join(), one.slots]));
  expect(slots).toEqual({ 'glm-ocr': SLOTS, ocr: 1 });
  const givenUp = server.givenUp;
  for (const id of ids) await stage.queue.cancel(id);
  await server.until(() => server.givenUp === givenUp + SLOTS);
  for (const id of ids) expect(await stage.reaches(id, 'cancelled')).toMatchObject({ attempts: 0 });
});

test('429 waits for as long as it was told and spends no retry', async () => {
  server.next.push({ kind: 'status', status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } });
  const id = await submit({ maxRetries: 0 });
  await stage.reaches(id, 'retrying');
  const begun = Date.now();
  expect(await stage.reaches(id, 'completed')).toMatchObject({ attempts: 0, errors: [{ code: 'upstream_rate_limited' }] });
  // The moment at which the task was seen to wait is a little after that from which it waits.
  expect(Date.now() - begun).toBeGreaterThan(RETRY_AFTER_S * 500);
});

test('500 is tried again; 401 is final at once, and says why without the key', async () => {
  server.next.push({ kind: 'status', status: 500 });
  const tried = await submit();
  expect(await stage.reaches(tried, 'completed')).toMatchObject({ attempts: 1, errors: [{ code: 'upstream_failed' }] });
  server.next.push({ kind: 'status', status: 401, body: 'no such key: a-secret-key' });
  const refused = await stage.reaches(await submit(), 'dead_letter');
  expect(refused).toMatchObject({
    attempts: 1,
    errors: [{ code: 'upstream_rejected', message: expect.stringContaining('no such key: ***') }],
  });
});

test('the key is in no line of the log', () => {
  expect(JSON.stringify(worker.lines)).not.toContain('a-secret-key');
});
