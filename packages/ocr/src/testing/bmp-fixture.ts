export interface BmpShape {
  width: number;
  height: number;
  bits: number;
  compression?: number;
  palette?: readonly (readonly [number, number, number])[];
  masks?: readonly [number, number, number];
  body: ArrayLike<number>;
}

/** A BMP of the common header; `body` is its rows from the bottom. */
export function makeBmp({ width, height, bits, compression = 0, palette = [], masks, body }: BmpShape): Uint8Array {
  const extra = (masks === undefined ? 0 : 12) + palette.length * 4;
  const bytes = Buffer.alloc(54 + extra + body.length);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54 + extra, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(bits, 28);
  bytes.writeUInt32LE(compression, 30);
  bytes.writeUInt32LE(palette.length, 46);
  masks?.forEach((mask, index) => bytes.writeUInt32LE(mask, 54 + index * 4));
  palette.forEach(([red, green, blue], index) => bytes.set([blue, green, red, 0], 54 + (masks === undefined ? 0 : 12) + index * 4));
  bytes.set(body, 54 + extra);
  return new Uint8Array(bytes);
}
