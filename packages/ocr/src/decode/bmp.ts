import { GalleyError } from '@galley/contract';

/**
 * A decoder for Windows bitmaps, which libvips does not read.
 * Reads core (12 byte) and info (40 to 124 byte) headers, 1, 4, 8, 16, 24 and 32 bits a pixel, RLE4, RLE8, bit fields,
 * bottom-up and top-down. An alpha channel is ignored: most writers leave the fourth byte zero.
 */
export interface BmpHeader {
  width: number;
  height: number;
  topDown: boolean;
  bits: number;
  compression: number;
  pixelOffset: number;
  palette: Uint8Array;
  masks: readonly [number, number, number];
}

const RGB = 0;
const RLE8 = 1;
const RLE4 = 2;
const BIT_FIELDS = 3;
const ALPHA_BIT_FIELDS = 6;

function corrupt(what: string): GalleyError {
  return new GalleyError('corrupt_document', `The BMP file ${what}.`);
}

function readPalette(bytes: Uint8Array, start: number, colours: number, entrySize: number): Uint8Array {
  const palette = new Uint8Array(colours * 3);
  for (let index = 0; index < colours; index++) {
    const at = start + index * entrySize;
    palette[index * 3] = bytes[at + 2] ?? 0;
    palette[index * 3 + 1] = bytes[at + 1] ?? 0;
    palette[index * 3 + 2] = bytes[at] ?? 0;
  }
  return palette;
}

function readMasks(view: DataView, compression: number, bits: number): readonly [number, number, number] {
  const stated = compression === BIT_FIELDS || compression === ALPHA_BIT_FIELDS;
  if (stated && view.byteLength >= 66) return [view.getUint32(54, true), view.getUint32(58, true), view.getUint32(62, true)];
  return bits === 16 ? [0x7c00, 0x03e0, 0x001f] : [0xff0000, 0x00ff00, 0x0000ff];
}

/** Reads the header alone, so that limits can be checked before pixels are decoded. Throws `corrupt_document`, `unsupported_format`. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  if (bytes.length < 26) throw corrupt('ends within its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixelOffset = view.getUint32(10, true);
  const headerSize = view.getUint32(14, true);
  const core = headerSize === 12;
  if (!core && (headerSize < 40 || bytes.length < 54)) throw corrupt('has a header of an unknown size');
  const width = core ? view.getUint16(18, true) : view.getInt32(18, true);
  const signedHeight = core ? view.getUint16(20, true) : view.getInt32(22, true);
  const bits = core ? view.getUint16(24, true) : view.getUint16(28, true);
  const compression = core ? RGB : view.getUint32(30, true);
  if (width <= 0 || signedHeight === 0) throw corrupt('states no size');
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw corrupt(`states ${bits} bits a pixel`);
  if (![RGB, RLE8, RLE4, BIT_FIELDS, ALPHA_BIT_FIELDS].includes(compression)) {
    throw new GalleyError('unsupported_format', `BMP compression ${compression} is not read; save it as PNG.`);
  }
  const stated = core ? 0 : view.getUint32(46, true);
  const most = bits <= 8 ? 1 << bits : 0;
  const colours = stated > 0 ? Math.min(stated, most) : most;
  const entrySize = core ? 3 : 4;
  const maskBytes = headerSize === 40 && compression === BIT_FIELDS ? 12 : headerSize === 40 && compression === ALPHA_BIT_FIELDS ? 16 : 0;
  const palette = readPalette(bytes, 14 + headerSize + maskBytes, colours, entrySize);
  return {
    width,
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bits,
    compression,
    pixelOffset,
    palette,
    masks: readMasks(view, compression, bits),
  };
}

/** Palette indices from a run-length encoded bitmap, rows from the bottom; pixels that the file skips stay 0. */
function decodeRunLength(bytes: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height } = header;
  const nibbles = header.compression === RLE4;
  const indices = new Uint8Array(width * height);
  let [at, x, y] = [header.pixelOffset, 0, 0];
  const put = (value: number): void => {
    if (x < width && y < height) indices[y * width + x] = value;
    x++;
  };
  while (at + 1 < bytes.length && y < height) {
    const [count, value] = [bytes[at++] ?? 0, bytes[at++] ?? 0];
    if (count > 0) {
      for (let n = 0; n < count; n++) put(nibbles ? (n % 2 === 0 ? value >> 4 : value & 15) : value);
    } else if (value === 0) {
      x = 0;
      y++;
    } else if (value === 1) {
      break;
    } else if (value === 2) {
      x += bytes[at++] ?? 0;
      y += bytes[at++] ?? 0;
    } else {
      const size = nibbles ? Math.ceil(value / 2) : value;
      for (let n = 0; n < value; n++) {
        const byte = bytes[at + (nibbles ? n >> 1 : n)] ?? 0;
        put(nibbles ? (n % 2 === 0 ? byte >> 4 : byte & 15) : byte);
      }
      at += size + (size % 2);
    }
  }
  return indices;
}

function scaleMasked(value: number, mask: number): number {
  if (mask === 0) return 0;
  const shift = Math.log2(mask & -mask);
  const top = mask >>> shift;
  return Math.round((((value & mask) >>> shift) * 255) / top);
}

type PixelReader = (rowStart: number, x: number, out: Uint8Array, at: number) => void;

function pixelReader(bytes: Uint8Array, header: BmpHeader): PixelReader {
  const { bits, palette, masks } = header;
  const fromPalette = (index: number, out: Uint8Array, at: number): void => {
    for (let channel = 0; channel < 3; channel++) out[at + channel] = palette[index * 3 + channel] ?? 0;
  };
  if (bits <= 8) {
    const perByte = 8 / bits;
    const mask = (1 << bits) - 1;
    return (rowStart, x, out, at) => {
      const byte = bytes[rowStart + Math.floor(x / perByte)] ?? 0;
      fromPalette((byte >> (8 - bits * ((x % perByte) + 1))) & mask, out, at);
    };
  }
  if (bits === 24) {
    return (rowStart, x, out, at) => {
      for (let channel = 0; channel < 3; channel++) out[at + channel] = bytes[rowStart + x * 3 + 2 - channel] ?? 0;
    };
  }
  const size = bits / 8;
  return (rowStart, x, out, at) => {
    const from = rowStart + x * size;
    let value = (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8);
    if (size === 4) value |= ((bytes[from + 2] ?? 0) << 16) | ((bytes[from + 3] ?? 0) << 24);
    for (let channel = 0; channel < 3; channel++) out[at + channel] = scaleMasked(value, masks[channel] ?? 0);
  };
}

/** Decodes to RGB, 3 bytes a pixel, rows from the top. Throws `corrupt_document` when the pixels are not all there. */
export function decodeBmp(bytes: Uint8Array, header: BmpHeader = readBmpHeader(bytes)): Uint8Array {
  const { width, height, bits } = header;
  const pixels = new Uint8Array(width * height * 3);
  const runs = header.compression === RLE8 || header.compression === RLE4;
  if (runs && bits !== 8 && bits !== 4) throw corrupt('is run-length encoded at a depth that cannot be');
  const source = runs ? decodeRunLength(bytes, header) : bytes;
  const stride = runs ? width : Math.ceil((width * bits) / 32) * 4;
  const start = runs ? 0 : header.pixelOffset;
  if (!runs && start + stride * height > bytes.length + 3) throw corrupt('is cut short: it holds fewer pixels than it states');
  const read = pixelReader(source, runs ? { ...header, bits: 8 } : header);
  for (let row = 0; row < height; row++) {
    const rowStart = start + (header.topDown ? row : height - 1 - row) * stride;
    for (let x = 0; x < width; x++) read(rowStart, x, pixels, (row * width + x) * 3);
  }
  return pixels;
}
