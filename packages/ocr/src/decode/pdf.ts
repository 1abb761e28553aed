import { GalleyError } from '@galley/contract';
import type { DocumentLimits } from '../limits.ts';
import type { DocumentPage, PageFacts, PagePicture, SourceDocument, TextLayerLine } from '../picture.ts';
import { checkPageNumber, checkPageSize, messageOf } from './checks.ts';
import { acquirePdfium, type Pdfium, retirePdfium, withMemory } from './pdfium.ts';
import { readTextLayer } from './text-layer.ts';

const POINTS_PER_INCH = 72;
const BITMAP_BGR = 2;
const RENDER_ANNOTATIONS = 0x01;
const RENDER_REVERSE_BYTES = 0x10;

const FLATTEN_AS_DISPLAYED = 0;
/** Pixels of the longest side of the picture that the reader shows of a page which was never rendered for recognition. */
const PREVIEW_SIDE = 1_600;

const LOAD_ERRORS: Readonly<Record<number, readonly ['encrypted_document' | 'corrupt_document', string]>> = {
  3: ['corrupt_document', 'The PDF is damaged: its structure cannot be read.'],
  4: ['encrypted_document', 'The PDF opens only with a password.'],
  5: ['encrypted_document', 'The PDF is encrypted in a way that is not supported.'],
};

interface OpenPdf {
  pdfium: Pdfium;
  document: number;
  memory: number;
}

/** A trap inside the WASM module; everything in the instance is lost. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && (error.name === 'RuntimeError' || error.name === 'RangeError');
}

async function load(bytes: Uint8Array): Promise<OpenPdf> {
  const pdfium = await acquirePdfium();
  try {
    const memory = pdfium._malloc(bytes.length);
    if (memory === 0) throw new RangeError('no room for the file');
    pdfium.HEAPU8.set(bytes, memory);
    // No password is the empty one: a document that only an owner password guards opens.
    const document = pdfium._FPDF_LoadMemDocument(memory, bytes.length, 0);
    if (document !== 0) return { pdfium, document, memory };
    const reason = pdfium._FPDF_GetLastError();
    pdfium._free(memory);
    const [code, message] = LOAD_ERRORS[reason] ?? ['corrupt_document', `The PDF cannot be opened (PDFium error ${reason}).`];
    throw new GalleyError(code, message);
  } catch (error) {
    if (error instanceof GalleyError) throw error;
    retirePdfium(pdfium, true);
    throw new GalleyError('corrupt_document', `The PDF cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

function renderBitmap(pdfium: Pdfium, handle: number, width: number, height: number): Uint8Array {
  const stride = Math.ceil((width * 3) / 4) * 4;
  return withMemory(pdfium, stride * height, (pointer) => {
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, BITMAP_BGR, pointer, stride);
    if (bitmap === 0) throw new RangeError(`PDFium has no room for ${width} × ${height} pixels`);
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    pdfium._FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, RENDER_ANNOTATIONS | RENDER_REVERSE_BYTES);
    pdfium._FPDFBitmap_Destroy(bitmap);
    const pixels = new Uint8Array(width * height * 3);
    for (let row = 0; row < height; row++) {
      const from = pointer + row * stride;
      pixels.set(pdfium.HEAPU8.subarray(from, from + width * 3), row * width * 3);
    }
    return pixels;
  });
}

function loadPage({ pdfium, document }: OpenPdf, page: number): number {
  const handle = pdfium._FPDF_LoadPage(document, page - 1);
  if (handle === 0) throw new GalleyError('corrupt_document', `Page ${page} of the PDF cannot be read.`);
  if (pdfium._FPDFPage_GetAnnotCount(handle) <= 0) return handle;
  // Notes and filled-in fields are seen on the page and are no part of its text, until they are made one.
  const changed = pdfium._FPDFPage_Flatten(handle, FLATTEN_AS_DISPLAYED) === 1;
  if (!changed) return handle;
  pdfium._FPDF_ClosePage(handle);
  return pdfium._FPDF_LoadPage(document, page - 1);
}

/** Runs with a page of the document, which is closed afterwards. */
function withPage<T>(open: OpenPdf, page: number, use: (handle: number) => T): T {
  const { pdfium } = open;
  const handle = loadPage(open, page);
  try {
    return use(handle);
  } finally {
    pdfium._FPDF_ClosePage(handle);
  }
}

interface PageOutline {
  readonly width: number;
  readonly height: number;
  readonly textLayer: readonly TextLayerLine[] | null;
}

function outlinePage(open: OpenPdf, page: number, limits: DocumentLimits): PageOutline {
  const { pdfium } = open;
  return withPage(open, page, (handle) => {
    const scale = limits.renderDpi / POINTS_PER_INCH;
    const width = Math.max(1, Math.round(pdfium._FPDF_GetPageWidthF(handle) * scale));
    const height = Math.max(1, Math.round(pdfium._FPDF_GetPageHeightF(handle) * scale));
    checkPageSize(width, height, page, limits);
    return { width, height, textLayer: readTextLayer(pdfium, handle, width, height) };
  });
}

/**
 * Opens a PDF. Junk of up to 1,024 bytes before `%PDF` is skipped.
 * Throws `encrypted_document`, `corrupt_document` (damaged, cut short, no pages), `too_many_pages`.
 */
export async function openPdf(bytes: Uint8Array, limits: DocumentLimits): Promise<SourceDocument> {
  let open: OpenPdf | null = await load(bytes);
  let closed = false;
  const release = (): void => {
    if (open === null) return;
    open.pdfium._FPDF_CloseDocument(open.document);
    open.pdfium._free(open.memory);
    retirePdfium(open.pdfium, false);
    open = null;
  };
  const pageCount = open.pdfium._FPDF_GetPageCount(open.document);
  if (pageCount < 1 || pageCount > limits.maxPages) {
    release();
    if (pageCount < 1) throw new GalleyError('corrupt_document', 'The PDF has no pages.');
    throw new GalleyError('too_many_pages', `The PDF has ${pageCount} pages; the limit is ${limits.maxPages}.`);
  }
  const withDocument = async <T>(page: number, use: (document: OpenPdf) => T): Promise<T> => {
    if (closed) throw new Error('a page of a closed document was asked for');
    open ??= await load(bytes);
    try {
      return use(open);
    } catch (error) {
      if (!isTrap(error)) throw error;
      // The instance is beyond use; what is asked for next opens the file in a new one.
      retirePdfium(open.pdfium, true);
      open = null;
      throw new GalleyError('corrupt_document', `Page ${page} of the PDF cannot be rendered: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    format: 'pdf',
    pageCount,
    warnings: [],
    async readPage(page, options = {}): Promise<DocumentPage> {
      options.signal?.throwIfAborted();
      checkPageNumber(page, pageCount);
      const { width, height, textLayer } = await withDocument(page, (document) => outlinePage(document, page, limits));
      const facts: PageFacts = { page, width, height, source: textLayer === null ? 'pdf-render' : 'pdf-text' };
      let rendered: Promise<PagePicture> | null = null;
      const render = async (scale: number): Promise<PagePicture> => {
        const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
        const draw = (document: OpenPdf) =>
          withPage(document, page, (handle) => renderBitmap(document.pdfium, handle, size.width, size.height));
        return { ...facts, ...size, pixels: await withDocument(page, draw) };
      };
      return {
        ...facts,
        textLayer,
        picture: () => {
          rendered ??= render(1);
          return rendered;
        },
        preview: () => rendered ?? render(Math.min(1, PREVIEW_SIDE / Math.max(width, height))),
      };
    },
    close: () => {
      closed = true;
      release();
    },
  };
}
