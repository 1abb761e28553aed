import {
  type DocumentPayload,
  documentPayloadSchema,
  GalleyError,
  PAGE_TASK,
  type PagePayload,
  pagePayloadSchema,
  SHORT_DOCUMENT_PAGES,
} from '@galley/contract';
import { fanOut, type Outcome, type TaskContext } from '@galley/core';
import { fetchUrl } from '../fetch/fetch-url.ts';
import { Timings } from '../tools/timings.ts';
import type { Tools } from '../tools/tools.ts';
import { assembleFromPages } from './assemble.ts';
import { parsePayload, requireEngine } from './payload.ts';
import { readShortDocument } from './short-document.ts';

/**
 * A document's run. The first reads a short document, or hands a longer one to page tasks; the one after its pages have ended puts the
 * document together.
 */
export async function handleDocument(context: TaskContext, tools: Tools): Promise<Outcome> {
  const payload = parsePayload(documentPayloadSchema, context.payload);
  const { engine } = payload;
  requireEngine(engine, tools.config);
  const { children } = context;
  if (children !== null && children.completed + children.failed >= children.total)
    return assembleFromPages(context, { total: children.total, engine }, tools);
  const timings = new Timings(tools.clock);
  const sha256 = await blobOf(payload, context, tools, timings);
  const source = await timings.measure('open', () => tools.documents.get(sha256));
  // With children but not all of them ended, a crash cut the fan-out short: saying it again adds those that are missing.
  if (children === null && source.pageCount <= SHORT_DOCUMENT_PAGES) return readShortDocument({ source, engine, timings }, context, tools);
  return fanOut(
    Array.from({ length: source.pageCount }, (_, index) => ({
      type: PAGE_TASK,
      payload: { page: index + 1, sha256, engine } satisfies PagePayload,
    })),
  );
}

/** The document's file: uploaded before, fetched by an earlier run that fanned out, or fetched now. */
async function blobOf(payload: DocumentPayload, context: TaskContext, tools: Tools, timings: Timings): Promise<string> {
  if (payload.sha256 !== undefined) return payload.sha256;
  const { image_url: address } = payload;
  if (address === undefined) throw new GalleyError('payload_invalid', 'The document names neither an uploaded file nor a URL.');
  if (context.children !== null) {
    // The URL may answer other bytes by now, and all pages must be of one file.
    const { inspector } = await tools.reader(context.queue);
    const [first] = await inspector.children(context.id, 1, 1);
    if (first !== undefined && first !== null) return parsePayload(pagePayloadSchema, first.payload).sha256;
  }
  const { blobs, config, resolve } = tools;
  const { sha256 } = await timings.measure('fetch', () =>
    fetchUrl(address, {
      blobs,
      allow: config.urlAllow,
      maxBytes: config.maxFileBytes,
      signal: context.signal,
      ...(resolve === undefined ? {} : { resolve }),
    }),
  );
  return sha256;
}
