import { GalleyError, type PageImage, type PageResult, type RequestEngine } from '@galley/contract';
import { type PageImage as EncodedImage, encodePageImage, type PageReader, type SourceDocument } from '@galley/ocr';
import type { Timings } from '../tools/timings.ts';
import type { Tools } from '../tools/tools.ts';

export interface PageRequest {
  readonly source: SourceDocument;
  /** From 1. */
  readonly page: number;
  readonly engine: RequestEngine;
  readonly signal: AbortSignal;
}

export interface ReadPage {
  readonly result: PageResult;
  readonly encoded: EncodedImage;
}

/** Decodes, recognises and encodes one page. Its pixels are let go when it returns. Throws what the OCR library throws. */
export async function readPage(request: PageRequest, tools: Tools, timings: Timings): Promise<ReadPage> {
  try {
    return await decodeAndRead(request, tools, timings);
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'corrupt_document') tools.documents.distrust();
    throw error;
  }
}

async function decodeAndRead({ source, page: number, engine, signal }: PageRequest, tools: Tools, timings: Timings): Promise<ReadPage> {
  const page = await timings.measure('decode', () => source.readPage(number, { signal }));
  const reader = await timings.measure('load_models', () => readerOf(engine, tools));
  const result = await timings.measure('recognise', () => reader.recognise(page, { signal }));
  signal.throwIfAborted();
  const encoded = await timings.measure('encode', async () => encodePageImage(await page.preview()));
  signal.throwIfAborted();
  return { result, encoded };
}

async function readerOf(engine: RequestEngine, tools: Tools): Promise<PageReader> {
  if (engine === 'glm-ocr') return tools.glmOcr();
  const recogniser = await tools.recogniser();
  return { recognise: (page, options) => recogniser.recognise(page, { ...options, engine }) };
}

/** Keeps the page's picture for the reader. */
export async function storeImage(page: number, image: EncodedImage, tools: Tools, timings: Timings): Promise<PageImage> {
  const { sha256 } = await timings.measure('store', () => tools.blobs.put(image.bytes));
  return { page, sha256, media_type: image.mediaType, width: image.width, height: image.height };
}
