import { DOCUMENT_TAGS, DOCUMENT_TASK, OCR_QUEUE, type StoredDocument, storedDocumentOf } from '@galley/contract';
import { connectRedis, done, Inspector, inProcess, Queue, Worker } from '@galley/core';

const SUBMITS_AT_ONCE = 10_000;
const COMPLETED_LIMIT_MS = 20_000;

/** A page of some 40 lines, as OCR returns it. */
function storedDocument(): StoredDocument {
  const lines = Array.from({ length: 40 }, (_, index) => ({
    text: `Line ${index} of a page that has been read, of about the usual length`,
    confidence: 0.98,
    polygon: [
      [100, 100 + 30 * index],
      [900, 100 + 30 * index],
      [900, 124 + 30 * index],
      [100, 124 + 30 * index],
    ] as [number, number][],
  }));
  const text = lines.map((line) => line.text).join('\n');
  const block = { id: 1, type: 'text', bbox: [100, 100, 900, 1_400], text, lines } as const;
  const page = { page: 1, width: 1_000, height: 1_500, angle: 0, source: 'image', engine: 'onnx', markdown: text } as const;
  const pages = [{ ...page, blocks: [{ ...block, bbox: [100, 100, 900, 1_400] as [number, number, number, number] }] }];
  return storedDocumentOf({ pages, markdown: text, text, timings: { total: 1_000 }, warnings: [] }, []);
}

/** Submits and completes one document; answers its id. */
export async function completedDocument(redisUrl: string): Promise<string> {
  const connection = connectRedis(redisUrl);
  const queue = await Queue.open(connection, OCR_QUEUE);
  const { id } = await queue.submit(
    DOCUMENT_TASK,
    { filename: 'read.png', engine: 'auto' },
    { tags: { [DOCUMENT_TAGS.type]: DOCUMENT_TASK } },
  );
  const handlers = { [DOCUMENT_TASK]: async () => done(JSON.parse(JSON.stringify(storedDocument())) as Parameters<typeof done>[0]) };
  const worker = new Worker({ connection, queues: [queue], executor: inProcess(handlers), slots: 1 });
  await worker.start();
  const inspector = new Inspector(connection, queue.layout);
  const giveUpAt = performance.now() + COMPLETED_LIMIT_MS;
  while ((await inspector.get(id))?.state !== 'completed')
    if (performance.now() > giveUpAt) throw new Error('the document was not completed');
  await worker.stop(0);
  await connection.close();
  return id;
}

/** Fills the queue with documents that wait. */
export async function fill(redisUrl: string, count: number): Promise<void> {
  const connection = connectRedis(redisUrl);
  const queue = await Queue.open(connection, OCR_QUEUE);
  for (let from = 0; from < count; from += SUBMITS_AT_ONCE) {
    const size = Math.min(SUBMITS_AT_ONCE, count - from);
    await Promise.all(
      Array.from({ length: size }, (_, index) =>
        queue.submit(DOCUMENT_TASK, { filename: `${from + index}.png`, engine: 'auto' }, { tags: { [DOCUMENT_TAGS.type]: DOCUMENT_TASK } }),
      ),
    );
  }
  await connection.close();
}
