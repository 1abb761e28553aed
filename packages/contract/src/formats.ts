/**
 * File formats by their first bytes. A file's name is never looked at (DESIGN §5).
 * Sniffing says what a file claims to be; whether it really decodes is the worker's finding.
 */
export const FILE_FORMATS = {
  pdf: { mediaType: 'application/pdf', extension: 'pdf', accepted: true },
  png: { mediaType: 'image/png', extension: 'png', accepted: true },
  jpeg: { mediaType: 'image/jpeg', extension: 'jpg', accepted: true },
  tiff: { mediaType: 'image/tiff', extension: 'tif', accepted: true },
  webp: { mediaType: 'image/webp', extension: 'webp', accepted: true },
  gif: { mediaType: 'image/gif', extension: 'gif', accepted: true },
  bmp: { mediaType: 'image/bmp', extension: 'bmp', accepted: true },
  avif: { mediaType: 'image/avif', extension: 'avif', accepted: true },
  heic: { mediaType: 'image/heic', extension: 'heic', accepted: false },
  jpeg2000: { mediaType: 'image/jp2', extension: 'jp2', accepted: false },
  svg: { mediaType: 'image/svg+xml', extension: 'svg', accepted: false },
} as const;

export type FileFormat = keyof typeof FILE_FORMATS;

/** How many bytes from the start `sniffFormat` wants: PDF readers accept up to 1,024 bytes of junk before `%PDF-`. */
export const SNIFF_BYTES = 1_100;

const PDF_JUNK_LIMIT = 1_024;

const SIGNATURES: readonly (readonly [FileFormat, readonly number[]])[] = [
  ['png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['jpeg', [0xff, 0xd8, 0xff]],
  ['tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['tiff', [0x49, 0x49, 0x2b, 0x00]],
  ['tiff', [0x4d, 0x4d, 0x00, 0x2b]],
  ['gif', [0x47, 0x49, 0x46, 0x38]],
  ['jpeg2000', [0x00, 0x00, 0x00, 0x0c, 0x6a, 0x50, 0x20, 0x20]],
  ['jpeg2000', [0xff, 0x4f, 0xff, 0x51]],
];

const HEIC_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']);
const AVIF_BRANDS = new Set(['avif', 'avis']);

function latin(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (const byte of bytes.subarray(start, end)) text += String.fromCharCode(byte);
  return text;
}

/** `ftyp` boxes: the major brand may be the generic `mif1`, so compatible brands decide between AVIF and HEIC. */
function sniffIsoMedia(head: Uint8Array): FileFormat | null {
  if (latin(head, 4, 8) !== 'ftyp') return null;
  const boxSize = Math.min(new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0), 256, head.length);
  const brands = [latin(head, 8, 12)];
  for (let at = 16; at + 4 <= boxSize; at += 4) brands.push(latin(head, at, at + 4));
  if (brands.some((brand) => AVIF_BRANDS.has(brand))) return 'avif';
  if (brands.some((brand) => HEIC_BRANDS.has(brand))) return 'heic';
  return null;
}

/**
 * The format that the first bytes claim, or null when they claim none that Galley knows.
 * `head`: the first `SNIFF_BYTES` bytes, or the whole file where it is shorter.
 */
export function sniffFormat(head: Uint8Array): FileFormat | null {
  for (const [format, signature] of SIGNATURES) {
    if (head.length >= signature.length && signature.every((byte, index) => head[index] === byte)) return format;
  }
  if (latin(head, 0, 4) === 'RIFF' && latin(head, 8, 12) === 'WEBP') return 'webp';
  // "BM" alone would match text: the four reserved bytes of a BMP header are zero.
  if (head.length >= 26 && latin(head, 0, 2) === 'BM' && latin(head, 6, 10) === '\0\0\0\0') return 'bmp';
  if (head.length >= 16) {
    const media = sniffIsoMedia(head);
    if (media !== null) return media;
  }
  const text = latin(head, 0, PDF_JUNK_LIMIT + 5);
  if (text.includes('%PDF-')) return 'pdf';
  // A PDF that has lost its head begins with one of its objects: damaged, and still no stranger.
  if (/^\s*\d{1,10} \d{1,5} obj\b[\s\S]*<</.test(text)) return 'pdf';
  if (/^\s*(?:\uFEFF|ï»¿)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i.test(text)) return 'svg';
  return null;
}
