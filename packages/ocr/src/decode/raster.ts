import { type FileFormat, GalleyError } from '@galley/contract';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import type { DocumentLimits } from '../limits.ts';
import type { DocumentPage, SourceDocument } from '../picture.ts';
import { decodeBmp, readBmpHeader } from './bmp.ts';
import { checkPageNumber, checkPageSize } from './checks.ts';
import { decodedPage } from './decoded-page.ts';
import { flatten } from './flatten.ts';

/** libvips can load SVG, PDF and other formats that reach out of their file; only these loaders may run. */
const ALLOWED_LOADERS = ['Jpeg', 'Png', 'Tiff', 'Webp', 'Nsgif', 'Heif'];

const SHARP_FORMATS: Partial<Record<FileFormat, readonly string[]>> = {
  png: ['png'],
  jpeg: ['jpeg'],
  tiff: ['tiff'],
  webp: ['webp'],
  gif: ['gif'],
  avif: ['heif', 'avif'],
};

let loadersRestricted = false;

function restrictLoaders(): void {
  if (loadersRestricted) return;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS.map((name) => `VipsForeignLoad${name}`) });
  // One page at a time per thread: libvips' own threads and cache would only multiply memory.
  sharp.concurrency(1);
  sharp.cache(false);
  loadersRestricted = true;
}

function load(bytes: Uint8Array, page: number, failOn: 'truncated' | 'none'): Sharp {
  // The limit of the document is checked on the header, with its own message; libvips' own limit stays out of its way.
  const options: SharpOptions = { failOn, limitInputPixels: false, page: page - 1, pages: 1 };
  return sharp(bytes, options);
}

async function readHeader(bytes: Uint8Array, format: FileFormat, page: number): Promise<Metadata> {
  try {
    const header = await load(bytes, page, 'none').metadata();
    if (SHARP_FORMATS[format]?.includes(header.format) !== true) {
      throw new GalleyError('corrupt_document', `The file begins like ${format} and holds ${header.format}.`);
    }
    return header;
  } catch (error) {
    if (error instanceof GalleyError) throw error;
    throw new GalleyError(
      'corrupt_document',
      `The picture is damaged: its ${format.toUpperCase()} data cannot be decoded. Get the file again from its source.`,
      { cause: error },
    );
  }
}

interface Decoded {
  width: number;
  height: number;
  pixels: Uint8Array;
}

async function decode(image: Sharp): Promise<Decoded> {
  const { data, info } = await image
    .autoOrient()
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: flatten(data, info.width, info.height) };
}

async function decodeOpaque(image: Sharp): Promise<Decoded> {
  const { data, info } = await image
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels = info.channels === 3 ? data : spread(data, info.channels);
  return { width: info.width, height: info.height, pixels };
}

/** Grey to RGB. */
function spread(data: Uint8Array, channels: number): Uint8Array {
  const count = data.length / channels;
  const pixels = new Uint8Array(count * 3);
  for (let index = 0; index < count; index++) pixels.fill(data[index * channels] ?? 0, index * 3, index * 3 + 3);
  return pixels;
}

function isUniform(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at++) if (pixels[at] !== pixels[at - 3]) return false;
  return true;
}

/** Strict first; a file that is cut short is read as far as it goes, and that is said. */
async function decodePage(bytes: Uint8Array, page: number, header: Metadata, warnings: string[]): Promise<Decoded> {
  const run = header.hasAlpha ? decode : decodeOpaque;
  try {
    return await run(load(bytes, page, 'truncated'));
  } catch (error) {
    const corrupt = new GalleyError('corrupt_document', `Page ${page} is damaged and nothing of it can be decoded.`, { cause: error });
    const partial = await run(load(bytes, page, 'none')).catch(() => null);
    if (partial === null || isUniform(partial.pixels)) throw corrupt;
    warnings.push(`Page ${page} is damaged or cut short and was read as far as it goes.`);
    return partial;
  }
}

/** Opens a picture file other than BMP. Throws `corrupt_document`, `page_too_large`, `too_many_pages`. */
export async function openRaster(bytes: Uint8Array, format: FileFormat, limits: DocumentLimits): Promise<SourceDocument> {
  restrictLoaders();
  const warnings: string[] = [];
  const first = await readHeader(bytes, format, 1);
  const frames = first.pages ?? 1;
  const pageCount = format === 'tiff' ? frames : 1;
  if (pageCount > limits.maxPages) {
    throw new GalleyError('too_many_pages', `The file has ${pageCount} pages; the limit is ${limits.maxPages}.`);
  }
  if (format !== 'tiff' && frames > 1) warnings.push(`The picture is animated; the first of its ${frames} frames was read.`);
  if (pageCount === 1) checkPageSize(first.width, first.pageHeight ?? first.height, 1, limits);
  return {
    format,
    pageCount,
    warnings,
    async readPage(page, options = {}): Promise<DocumentPage> {
      options.signal?.throwIfAborted();
      checkPageNumber(page, pageCount);
      const header = page === 1 ? first : await readHeader(bytes, format, page);
      checkPageSize(header.width, header.pageHeight ?? header.height, page, limits);
      const decoded = await decodePage(bytes, page, header, warnings);
      options.signal?.throwIfAborted();
      return decodedPage({ page, ...decoded, source: 'image' });
    },
    close: () => undefined,
  };
}

/** Opens a BMP. Throws `corrupt_document`, `unsupported_format`, `page_too_large`. */
export function openBmp(bytes: Uint8Array, limits: DocumentLimits): SourceDocument {
  const header = readBmpHeader(bytes);
  checkPageSize(header.width, header.height, 1, limits);
  return {
    format: 'bmp',
    pageCount: 1,
    warnings: [],
    async readPage(page, options = {}): Promise<DocumentPage> {
      options.signal?.throwIfAborted();
      checkPageNumber(page, 1);
      return decodedPage({ page, width: header.width, height: header.height, pixels: decodeBmp(bytes, header), source: 'image' });
    },
    close: () => undefined,
  };
}
