import { type Engine, type PageImage, type PageResult, type RequestEngine, storedDocumentOf } from '@galley/contract';
import { childId, type Done, done, shortenResults, type TaskContext, type TaskView } from '@galley/core';
import { assembleDocument, failedPage } from '@galley/ocr';
import { Timings } from '../tools/timings.ts';
import type { QueueReader, Tools } from '../tools/tools.ts';
import { failingEngine } from './short-document.ts';
import { fromStoredPage, toStored } from './stored-result.ts';

/** Page results read at once. */
const CHUNK = 50;
/** The document's own time starts a moment later, when its completion reaches Redis; its pages must not be gone before. */
const PAGE_MARGIN_MS = 60_000;

interface AssembledPage {
  readonly result: PageResult;
  readonly image: PageImage | null;
}

export interface LongDocument {
  /** How many pages it has. */
  readonly total: number;
  readonly engine: RequestEngine;
}

/**
 * Puts a long document together from its pages' results. A page that is dead or cancelled is stated in its place with
 * the code and message of its last error; reviving it runs this again.
 */
export async function assembleFromPages(context: TaskContext, { total, engine: requested }: LongDocument, tools: Tools): Promise<Done> {
  const engine = failingEngine(requested);
  const timings = new Timings(tools.clock);
  const reader = await tools.reader(context.queue);
  const pages: AssembledPage[] = [];
  for (let from = 1; from <= total; from += CHUNK) {
    context.signal.throwIfAborted();
    const to = Math.min(total, from + CHUNK - 1);
    pages.push(...(await timings.measure('read_pages', () => readPages(reader, context.id, { from, to, engine }, tools))));
  }
  const results = pages.map(({ result }) => result);
  const failed = results.filter(({ error }) => error !== undefined);
  const stored = storedDocumentOf(
    assembleDocument(results, { timings: timings.toRecord() }),
    pages.flatMap(({ image }) => (image === null ? [] : [image])),
  );
  const value = await timings.measure('store', () => toStored(stored, tools.blobs));
  if (failed.length === 0) await shortenPages(reader, context.id, total, tools);
  // Pages that were read counted themselves when they were.
  return done(value, { counters: failed.length === 0 ? {} : { pages: failed.length, [`pages:${engine}:failed`]: failed.length } });
}

interface PageRange {
  readonly from: number;
  readonly to: number;
  readonly engine: Engine;
}

async function readPages(reader: QueueReader, documentId: string, range: PageRange, tools: Tools): Promise<AssembledPage[]> {
  const { from, to, engine } = range;
  const tasks = await reader.inspector.children(documentId, from, to);
  return Promise.all(tasks.map((task, index) => readOne(reader, task, { page: from + index, engine }, tools)));
}

async function readOne(
  reader: QueueReader,
  task: TaskView | null,
  { page, engine }: { readonly page: number; readonly engine: Engine },
  tools: Tools,
): Promise<AssembledPage> {
  const lost = (code: string, message: string): AssembledPage => ({ result: failedPage(page, { code, message }, engine), image: null });
  if (task === null) return lost('task_not_found', `The task of page ${page} is gone.`);
  if (task.state === 'completed') {
    const held = await reader.inspector.result(task.id);
    if (held === null) return lost('result_expired', `The result of page ${page} has expired.`);
    const { result, image } = await fromStoredPage(held.value, tools.blobs);
    return { result, image };
  }
  if (task.state === 'cancelled') return lost('task_cancelled', `The task of page ${page} was cancelled.`);
  const last = task.errors.at(-1);
  return lost(last?.code ?? 'unknown_error', last?.message ?? `Page ${page} ended in the state ${task.state}.`);
}

/** Once all pages are in the document they are kept as long as it is, and no longer. */
async function shortenPages({ connection, inspector }: QueueReader, documentId: string, total: number, tools: Tools): Promise<void> {
  const document = await inspector.get(documentId);
  const resultMs = document?.header.result_ms ?? tools.config.resultMs;
  const ids = Array.from({ length: total }, (_, index) => childId(documentId, index + 1));
  await shortenResults(connection, inspector.layout, ids, resultMs + PAGE_MARGIN_MS);
}
