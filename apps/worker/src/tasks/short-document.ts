import { type Engine, type PageImage, type PageResult, type RequestEngine, storedDocumentOf } from '@galley/contract';
import { type Done, done, failureOf, type TaskContext } from '@galley/core';
import { assembleDocument, failedPage, type SourceDocument } from '@galley/ocr';
import type { Timings } from '../tools/timings.ts';
import type { Tools } from '../tools/tools.ts';
import { pageCounters } from './counters.ts';
import { type ReadPage, readPage, storeImage } from './read-page.ts';
import { toStored } from './stored-result.ts';

export interface ShortDocument {
  readonly source: SourceDocument;
  readonly engine: RequestEngine;
  readonly timings: Timings;
}

/**
 * Reads a document of a few pages in one run. A page that fails is stated in its place; where every page fails with the same code that
 * error is thrown, so that the document becomes a dead letter with its reason.
 */
export async function readShortDocument(document: ShortDocument, context: TaskContext, tools: Tools): Promise<Done> {
  const { source, engine, timings } = document;
  const pages: PageResult[] = [];
  const images: PageImage[] = [];
  const errors: unknown[] = [];
  for (let page = 1; page <= source.pageCount; page++) {
    const read = await tryPage(() => readPage({ source, page, engine, signal: context.signal }, tools, timings), context, tools);
    if ('error' in read) {
      errors.push(read.error);
      pages.push(failedPage(page, failureOf(read.error), failingEngine(engine)));
    } else {
      images.push(await storeImage(page, read.encoded, tools, timings));
      pages.push(read.result);
    }
    tools.logger.debug({ event: 'page read', task: context.id, page }, 'page read');
    context.progress(page / source.pageCount);
  }
  if (errors.length === pages.length && new Set(errors.map((error) => failureOf(error).code)).size === 1) throw errors[0];
  const warnings = [...new Set(source.warnings)];
  const stored = storedDocumentOf(assembleDocument(pages, { timings: timings.toRecord(), warnings }), images);
  return done(await toStored(stored, tools.blobs), { counters: pageCounters(pages) });
}

/** The engine that a page which nobody read is counted to. */
export function failingEngine(requested: RequestEngine): Engine {
  return requested === 'glm-ocr' ? requested : 'onnx';
}

/**
 * A page's permanent error is the page's own. Any other ends the run while it has retries left: the next run may read that page too.
 * The recogniser's own absence (`engine_unavailable`) is permanent, so it is stated like a damaged page.
 */
async function tryPage(read: () => Promise<ReadPage>, context: TaskContext, tools: Tools): Promise<ReadPage | { readonly error: unknown }> {
  try {
    return await read();
  } catch (error) {
    if (context.signal.aborted) throw error;
    const failure = failureOf(error);
    // To wait spends no retry, so having none left is no reason against it.
    if (failure.class === 'deferred') throw error;
    if (failure.class !== 'permanent' && (await hasRetriesLeft(context, tools))) throw error;
    return { error };
  }
}

async function hasRetriesLeft(context: TaskContext, tools: Tools): Promise<boolean> {
  const { inspector } = await tools.reader(context.queue);
  const task = await inspector.get(context.id);
  return task === null || context.attempt <= task.maxRetries;
}
