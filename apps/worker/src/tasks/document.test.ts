import { DOCUMENT_TASK, GalleyError } from '@galley/contract';
import { createChores, inProcess, type TaskContext, Worker } from '@galley/core';
import type { Recogniser } from '@galley/ocr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { makePdf } from '../testing/pdf.ts';
import { pagePicture, tiffOf } from '../testing/pictures.ts';
import { Stage } from '../testing/stage.ts';
import { createTools, type Tools } from '../tools/tools.ts';
import { handleDocument } from './document.ts';

let stage: Stage;
let tools: Tools;
let onePage: Buffer;
let twoPages: Buffer;

beforeAll(async () => {
  stage = await Stage.open();
  const GALLEY_DATA_DIR = stage.dataDirectory;
  tools = createTools(parseConfig({ GALLEY_REDIS_URL: stage.redis.url, GALLEY_DATA_DIR, GALLEY_LOG_LEVEL: 'silent' }));
  // Drawn before the first document is opened: the library then blocks the format they are drawn from, for the whole process.
  onePage = await pagePicture(['one']);
  twoPages = await tiffOf([onePage, await pagePicture(['two'])]);
});

afterAll(async () => {
  const { connection } = await tools.reader(stage.queue.name);
  await connection.close();
  await stage.close();
});

/** An engine without models whose second page fails as many times as told. */
function failingOnPageTwo(times: number): Pick<Tools, 'recogniser'> {
  let failures = 0;
  const recogniser: Recogniser = {
    recognise: ({ page, width, height }) => {
      if (page === 2 && failures++ < times) return Promise.reject(new GalleyError('engine_failed', 'The engine stumbled.'));
      return Promise.resolve({ page, width, height, angle: 0, source: 'image', engine: 'onnx', blocks: [], markdown: `page ${page}` });
    },
    close: () => Promise.resolve(),
  };
  return { recogniser: () => Promise.resolve(recogniser) };
}

async function runWith(engine: Pick<Tools, 'recogniser'>, use: () => Promise<void>): Promise<void> {
  const executor = inProcess({ [DOCUMENT_TASK]: (context) => handleDocument(context, { ...tools, ...engine }) });
  // No chance in the back-off: a retry is due at once.
  const worker = new Worker({ connection: stage.connection, queues: [stage.queue], slots: 1, executor, random: () => 0 });
  const chores = createChores({ connection: stage.connection, queues: [stage.queue], periodMs: 20 });
  chores.start();
  await worker.start();
  try {
    await use();
  } finally {
    await worker.stop(0);
    await chores.stop();
  }
}

describe('an engine that fails on one page of a short document', () => {
  test('ends the run while retries are left, so the next one may read it', async () => {
    await runWith(failingOnPageTwo(1), async () => {
      const id = await stage.submitFile(twoPages, { maxRetries: 1 });
      const task = await stage.reaches(id, 'completed');
      expect(task).toMatchObject({ attempts: 1, errors: [{ code: 'engine_failed' }] });
      expect((await stage.document(id)).result.markdown).toBe('page 1\n\npage 2');
    });
  });

  test('is stated in the page once none is left', async () => {
    await runWith(failingOnPageTwo(2), async () => {
      const id = await stage.submitFile(twoPages, { maxRetries: 1 });
      await stage.reaches(id, 'completed');
      const { result } = await stage.document(id);
      expect(result.pages).toMatchObject([{ page: 1 }, { page: 2, error: { code: 'engine_failed', message: 'The engine stumbled.' } }]);
      expect(result.markdown).toBe('page 1');
    });
  });

  test('and is its only page makes it a dead letter with that reason', async () => {
    const engine = { recogniser: () => Promise.reject(new GalleyError('engine_failed', 'The models cannot be loaded.')) };
    await runWith(engine, async () => {
      const id = await stage.submitFile(onePage, { maxRetries: 1 });
      const task = await stage.reaches(id, 'dead_letter');
      expect(task.errors).toMatchObject([
        { code: 'engine_failed', attempt: 1 },
        { code: 'engine_failed', attempt: 2 },
      ]);
    });
  });
});

test('a fan-out that a crash cut short is said again whole', async () => {
  const { sha256 } = await stage.blobs.put(makePdf(Array.from({ length: 6 }, (_, index) => ({ text: `page ${index + 1}` }))));
  const context: TaskContext = {
    id: 'ocr-00-000000000000-aaaaaa',
    queue: stage.queue.name,
    type: DOCUMENT_TASK,
    payload: { sha256, engine: 'auto' },
    priority: 100,
    fence: 2,
    attempt: 1,
    crashes: 1,
    children: { total: 6, completed: 2, failed: 1 },
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  const outcome = await handleDocument(context, tools);
  expect(outcome).toMatchObject({
    outcome: 'fan_out',
    children: [1, 2, 3, 4, 5, 6].map((page) => ({ type: 'page', payload: { page, sha256 } })),
  });
});
