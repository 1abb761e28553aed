import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { DocumentPage } from '../picture.ts';
import { makePdf, pdfStream } from '../testing/pdf-fixture.ts';
import { colourAt, makeTiff } from '../testing/picture-fixture.ts';
import { openDocument } from './document.ts';

const SENTENCE = 'Wheat flour and bread rye, two sacks each.';
const letter = { width: 612, height: 792, texts: [{ x: 72, y: 700, size: 12, text: SENTENCE }] };

async function firstPage(bytes: Uint8Array): Promise<DocumentPage> {
  return (await openDocument(bytes)).readPage(1);
}

/** Dark on the left, white on the right: 40 × 20. */
const halves = sharp({ create: { width: 40, height: 20, channels: 3, background: '#ffffff' } }).composite([
  { input: { create: { width: 20, height: 20, channels: 3, background: '#000000' } }, left: 0, top: 0 },
]);

async function leftAndRight(bytes: Uint8Array): Promise<[left: boolean, right: boolean]> {
  const picture = await (await firstPage(bytes)).picture();
  const isDark = (x: number): boolean => colourAt(picture, x, 10)[0] < 100;
  return [isDark(5), isDark(35)];
}

test('a PDF without a root is corrupt', async () => {
  const bytes = Buffer.from(
    Buffer.from(makePdf([letter]))
      .toString('latin1')
      .replace('/Root', '/Rood')
      .replace('/Catalog', '/Catalox'),
    'latin1',
  );
  await expect(openDocument(new Uint8Array(bytes))).rejects.toMatchObject({ code: 'corrupt_document' });
});

const INLINE_IMAGE = 'BI /W 1 /H 1 /BPC 8 /CS /G ID x EI';

test.each([
  ['an invisible layer that other OCR left', { content: '3 Tr' }],
  ['text over a scan that covers the page', { content: `q 612 0 0 792 0 0 cm ${INLINE_IMAGE} Q` }],
])('%s does not stand for its page', async (_name, odd) => {
  expect(await firstPage(makePdf([{ ...letter, ...odd }]))).toMatchObject({ source: 'pdf-render', textLayer: null });
  expect(await firstPage(makePdf([letter]))).toMatchObject({ source: 'pdf-text' });
});

test('text whose characters mean nothing does not stand for its page', async () => {
  const meanings = 'begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <fffd> endbfrange endcmap';
  const objects = [
    pdfStream(
      `BT /F2 12 Tf 72 600 Td (${SENTENCE}) Tj ET`,
      '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F2 7 0 R >> >>',
    ),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >>',
    pdfStream(meanings),
  ];
  const page = { ...letter, texts: [], content: '/X Do', resources: '/XObject << /X 6 0 R >>' };
  expect(await firstPage(makePdf([page], { objects }))).toMatchObject({ source: 'pdf-render', textLayer: null });
});

test('a page of 10,000 tiny pictures is read', async () => {
  const content = Array.from({ length: 10_000 }, (_, at) => `q 1 0 0 1 ${at % 600} ${Math.floor(at / 600)} cm ${INLINE_IMAGE} Q`).join(
    '\n',
  );
  const page = await firstPage(makePdf([{ ...letter, content }]));
  expect(page.textLayer?.map(({ text }) => text)).toEqual([SENTENCE]);
  expect(await page.preview()).toMatchObject({ height: 1600 });
});

test('blank and black pages in the middle of a document are pages like others', async () => {
  const size = { width: letter.width, height: letter.height };
  const document = await openDocument(makePdf([letter, size, { ...size, content: '0 0 612 792 re f' }, letter]));
  const black = await (await document.readPage(3)).picture();
  expect([(await document.readPage(2)).textLayer, colourAt(black, 800, 1000)]).toEqual([null, [0, 0, 0]]);
  expect((await document.readPage(4)).textLayer?.[0]?.text).toBe(SENTENCE);
});

test('a fax’s TIFF (group 4), white is zero', async () => {
  // Eight white pixels and eight black ones, seven rows like the one above, and the end.
  const bits = `${'001' + '10011' + '000101'}${'11'.repeat(7)}${'000000000001'.repeat(2)}0000`;
  const group4 = Uint8Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
  const picture = await (await firstPage(makeTiff([{ width: 16, height: 8, grey: 0, bits: 1, whiteIsZero: true, group4 }]))).picture();
  expect([colourAt(picture, 2, 7)[0], colourAt(picture, 13, 7)[0]]).toEqual([255, 0]);
});

test('TIFFs with transparency, in LAB, tiled as BigTIFF, and with JPEG inside', async () => {
  for (const bytes of [
    await halves.clone().ensureAlpha().tiff().toBuffer(),
    await halves.clone().toColourspace('lab').tiff().toBuffer(),
    await halves.clone().tiff({ tile: true, tileWidth: 16, tileHeight: 16, bigtiff: true, compression: 'deflate' }).toBuffer(),
    await halves.clone().tiff({ compression: 'jpeg', quality: 95 }).toBuffer(),
  ])
    expect(await leftAndRight(bytes)).toEqual([true, false]);
});

test('a CMYK JPEG is read with the Adobe marker, and without, its inks turned round in both', async () => {
  const marked = await halves.clone().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
  const at = marked.indexOf(Buffer.from([0xff, 0xee]));
  expect(at).toBeGreaterThan(0);
  const unmarked = Buffer.concat([marked.subarray(0, at), marked.subarray(at + 2 + marked.readUInt16BE(at + 2))]);
  expect(await leftAndRight(marked)).toEqual([true, false]);
  expect(await leftAndRight(unmarked)).toEqual([true, false]);
});

test('interlaced and progressive pictures, and those with junk behind them, are read whole', async () => {
  for (const bytes of [
    await halves.clone().png({ progressive: true }).toBuffer(),
    Buffer.concat([await halves.clone().png().toBuffer(), Buffer.alloc(500, 7)]),
    await halves.clone().jpeg({ progressive: true, quality: 95 }).toBuffer(),
    Buffer.concat([await halves.clone().jpeg({ quality: 95 }).toBuffer(), Buffer.alloc(500, 7)]),
  ])
    expect(await leftAndRight(bytes)).toEqual([true, false]);
});
