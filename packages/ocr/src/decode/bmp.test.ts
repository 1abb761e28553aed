import { expect, test } from 'vitest';
import { makeBmp } from '../testing/bmp-fixture.ts';
import { decodeBmp, readBmpHeader } from './bmp.ts';

const RED = [255, 0, 0] as const;
const BLUE = [0, 0, 255] as const;
const pixelsOf = (bytes: Uint8Array): number[] => [...decodeBmp(bytes)];

test('24 bits: rows from the bottom, padded to four bytes, blue first', () => {
  const bytes = makeBmp({ width: 1, height: 2, bits: 24, body: [255, 0, 0, 0, 0, 0, 255, 0] });
  expect(pixelsOf(bytes)).toEqual([...RED, ...BLUE]);
});

test('a negative height means rows from the top', () => {
  const bytes = makeBmp({ width: 1, height: -2, bits: 24, body: [255, 0, 0, 0, 0, 0, 255, 0] });
  expect(readBmpHeader(bytes)).toMatchObject({ width: 1, height: 2, topDown: true });
  expect(pixelsOf(bytes)).toEqual([...BLUE, ...RED]);
});

test.each([
  [1, [0b01000000, 0, 0, 0]],
  [4, [0x01, 0, 0, 0]],
  [8, [0, 1, 0, 0]],
])('%i bits by palette', (bits, body) => {
  expect(pixelsOf(makeBmp({ width: 2, height: 1, bits, palette: [RED, BLUE], body }))).toEqual([...RED, ...BLUE]);
});

test('16 bits as 5-5-5 and, by masks, as 5-6-5', () => {
  expect(pixelsOf(makeBmp({ width: 1, height: 1, bits: 16, body: [0x00, 0x7c, 0, 0] }))).toEqual([...RED]);
  expect(
    pixelsOf(makeBmp({ width: 1, height: 1, bits: 16, compression: 3, masks: [0xf800, 0x07e0, 0x001f], body: [0x00, 0xf8, 0, 0] })),
  ).toEqual([...RED]);
});

test('32 bits: the fourth byte is not taken for transparency', () => {
  expect(pixelsOf(makeBmp({ width: 1, height: 1, bits: 32, body: [255, 0, 0, 0] }))).toEqual([...BLUE]);
});

test('run-length encoding of 8 and 4 bits, with a run, a literal stretch and the end of a line', () => {
  const palette = [RED, BLUE];
  const eight = makeBmp({ width: 3, height: 2, bits: 8, compression: 1, palette, body: [3, 1, 0, 0, 0, 3, 0, 1, 0, 0, 0, 1] });
  expect(pixelsOf(eight)).toEqual([...RED, ...BLUE, ...RED, ...BLUE, ...BLUE, ...BLUE]);
  const four = makeBmp({ width: 3, height: 1, bits: 4, compression: 2, palette, body: [3, 0x01, 0, 1] });
  expect(pixelsOf(four)).toEqual([...RED, ...BLUE, ...RED]);
});

test('a file cut short is corrupt, an embedded JPEG is not supported', () => {
  expect(() => decodeBmp(makeBmp({ width: 100, height: 100, bits: 24, body: [0, 0, 0] }))).toThrow(
    expect.objectContaining({ code: 'corrupt_document' }),
  );
  expect(() => readBmpHeader(makeBmp({ width: 1, height: 1, bits: 24, compression: 4, body: [] }))).toThrow(
    expect.objectContaining({ code: 'unsupported_format' }),
  );
  expect(() => readBmpHeader(new Uint8Array(20))).toThrow(expect.objectContaining({ code: 'corrupt_document' }));
});
