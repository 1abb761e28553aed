import { FILE_FORMATS, GalleyError, SNIFF_BYTES, sniffFormat } from '@galley/contract';
import { DEFAULT_LIMITS, type DocumentLimits } from '../limits.ts';
import type { SourceDocument } from '../picture.ts';
import { openPdf } from './pdf.ts';
import { openBmp, openRaster } from './raster.ts';

/**
 * Opens a document by its content; its name plays no part. Nothing but headers is decoded yet.
 *
 * Throws GalleyError: `empty_file` (no bytes), `unsupported_format` (not a format Galley reads, the format named where it is known),
 * `encrypted_document`, `corrupt_document`, `page_too_large`, `too_many_pages`.
 */
export async function openDocument(bytes: Uint8Array, limits: Partial<DocumentLimits> = {}): Promise<SourceDocument> {
  const bounds: DocumentLimits = { ...DEFAULT_LIMITS, ...limits };
  if (bytes.length === 0) throw new GalleyError('empty_file', 'The file has no bytes.');
  const format = sniffFormat(bytes.subarray(0, SNIFF_BYTES));
  if (format === null) throw new GalleyError('unsupported_format', 'The file is neither a PDF nor a picture of a known format.');
  if (!FILE_FORMATS[format].accepted) {
    throw new GalleyError('unsupported_format', `Files of format ${format.toUpperCase()} are not read; convert it to PDF, PNG or JPEG.`);
  }
  if (format === 'pdf') return openPdf(bytes, bounds);
  if (format === 'bmp') return openBmp(bytes, bounds);
  return openRaster(bytes, format, bounds);
}
