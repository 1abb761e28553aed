import { GalleyError, type PageImage, type PageResult } from '@galley/contract';
import { type PageImage as EncodedImage, encodePageImage, type PagePicture, type RecogniseOptions, type SourceDocument } from '@galley/ocr';
import type { Timings } from '../tools/timings.ts';
import type { Tools } from '../tools/tools.ts';

export interface PageRequest {
  readonly source: SourceDocument;
  /** From 1. */
  readonly page: number;
  readonly engine: NonNullable<RecogniseOptions['engine']>;
  readonly signal: AbortSignal;
}

export interface ReadPage {
  readonly result: PageResult;
  readonly encoded: EncodedImage;
}

/** Decodes, recognises and encodes one page. Its pixels are let go when it returns. Throws what the OCR library throws. */
export async function readPage(request: PageRequest, tools: Tools, timings: Timings): Promise<ReadPage> {
  const { engine, signal } = request;
  const picture = await timings.measure('decode', () => decode(request, tools));
  const recogniser = await timings.measure('load_models', () => tools.recogniser());
  const result = await timings.measure('recognise', () => recogniser.recognise(picture, { engine, signal }));
  signal.throwIfAborted();
  const encoded = await timings.measure('encode', () => encodePageImage(picture));
  signal.throwIfAborted();
  return { result, encoded };
}

async function decode({ source, page, signal }: PageRequest, tools: Tools): Promise<PagePicture> {
  try {
    return await source.readPage(page, { signal });
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'corrupt_document') tools.documents.distrust();
    throw error;
  }
}

/** Keeps the page's picture for the reader. */
export async function storeImage(page: number, image: EncodedImage, tools: Tools, timings: Timings): Promise<PageImage> {
  const { sha256 } = await timings.measure('store', () => tools.blobs.put(image.bytes));
  return { page, sha256, media_type: image.mediaType, width: image.width, height: image.height };
}
