import { pagePayloadSchema, type StoredPage } from '@galley/contract';
import { DEFAULT_QUEUE_SETTINGS, type Done, done, type TaskContext } from '@galley/core';
import { Timings } from '../tools/timings.ts';
import type { Tools } from '../tools/tools.ts';
import { pageCounters } from './counters.ts';
import { parsePayload, requireEngine } from './payload.ts';
import { readPage, storeImage } from './read-page.ts';
import { toStored } from './stored-result.ts';

/** Reads one page of a long document. An error fails the task, so that the page can be retried and revived by itself. */
export async function handlePage(context: TaskContext, tools: Tools): Promise<Done> {
  const { page, sha256, engine } = parsePayload(pagePayloadSchema, context.payload);
  requireEngine(engine, tools.config);
  const timings = new Timings(tools.clock);
  const source = await timings.measure('open', () => tools.documents.get(sha256));
  const known = source.warnings.length;
  const { result, encoded } = await readPage({ source, page, engine, signal: context.signal }, tools, timings);
  // What decoding this page has added to its file's warnings would be lost with the opened file.
  const warnings = [...(result.warnings ?? []), ...source.warnings.slice(known)];
  const stored: StoredPage = {
    kind: 'page',
    result: { ...result, ...(warnings.length === 0 ? {} : { warnings }) },
    image: await storeImage(page, encoded, tools, timings),
  };
  tools.logger.debug({ event: 'page read', task: context.id, page, timings: timings.toRecord() }, 'page read');
  return done(await toStored(stored, tools.blobs), {
    counters: pageCounters([result]),
    // The document may wait long for its other pages, or be re-opened when a dead one is revived; its assembly shortens this.
    resultMs: Math.max(tools.config.retentionMs, DEFAULT_QUEUE_SETTINGS.deadRetentionMs),
  });
}
