import type { FileFormat, PageResult } from '@galley/contract';
import type { Quad } from './geometry.ts';

/** A run of text that a PDF page carries itself. */
export interface TextLayerLine {
  text: string;
  /** Corners clockwise from the text's own top left, in pixels of the page as displayed. */
  polygon: Quad;
  /** Type size in pixels of the page as displayed. */
  fontSize: number;
}

/** One page as a person would see it: turned upright by its own EXIF or page rotation, on an opaque ground. */
export interface PagePicture {
  /** From 1. */
  page: number;
  /** Pixels as displayed. */
  width: number;
  height: number;
  /** RGB, 3 bytes a pixel, row by row from the top, no alpha. */
  pixels: Uint8Array;
  source: PageResult['source'];
  /** The page's own text where it is sound enough to stand for the page, else null. */
  textLayer: TextLayerLine[] | null;
}

export interface ReadPageOptions {
  signal?: AbortSignal;
}

/** An opened file. Pages are decoded one at a time, when asked for. */
export interface SourceDocument {
  readonly format: FileFormat;
  readonly pageCount: number;
  /** What a person should know about how the file was read; grows while pages are read. */
  readonly warnings: readonly string[];
  /**
   * Decodes one page, from 1.
   * Throws GalleyError `page_not_found`, `page_too_large`, `corrupt_document`; the signal's reason when aborted.
   */
  readPage(page: number, options?: ReadPageOptions): Promise<PagePicture>;
  close(): void;
}
