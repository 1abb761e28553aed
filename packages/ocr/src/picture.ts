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

/** What is known of a page without its pixels. */
export interface PageFacts {
  /** From 1. */
  readonly page: number;
  /** Pixels as displayed. */
  readonly width: number;
  readonly height: number;
  readonly source: PageResult['source'];
}

/** One page as a person would see it: turned upright by its own EXIF or page rotation, on an opaque ground. */
export interface PagePicture extends PageFacts {
  /** RGB, 3 bytes a pixel, row by row from the top, no alpha. */
  readonly pixels: Uint8Array;
}

/** One page of an opened document. */
export interface DocumentPage extends PageFacts {
  /** The page's own text where it is sound enough to stand for the page, else null. */
  readonly textLayer: readonly TextLayerLine[] | null;
  /**
   * The page's picture. A PDF page is rendered when this is first called, so one that is read by its own text never is.
   * Throws GalleyError `corrupt_document`.
   */
  picture(): Promise<PagePicture>;
  /**
   * The page as a person looks it through: its picture where there is one by now, else rendered smaller (long side 1,600 pixels), which
   * takes half the time. Its `width` and `height` are its own. Throws GalleyError `corrupt_document`.
   */
  preview(): Promise<PagePicture>;
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
   * Reads one page, from 1. Its picture must be asked for before the document is closed.
   * Throws GalleyError `page_not_found`, `page_too_large`, `corrupt_document`; the signal's reason when aborted.
   */
  readPage(page: number, options?: ReadPageOptions): Promise<DocumentPage>;
  close(): void;
}
