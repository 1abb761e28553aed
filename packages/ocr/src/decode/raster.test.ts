import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import type { PagePicture, SourceDocument } from '../picture.ts';
import { colourAt, makeTiff } from '../testing/picture-fixture.ts';
import { openDocument } from './document.ts';

const WHITE = { r: 255, g: 255, b: 255 };
const DARK = { r: 20, g: 30, b: 40 };

async function picturePage(document: SourceDocument, page: number): Promise<PagePicture> {
  return (await document.readPage(page)).picture();
}

async function readFirst(bytes: Uint8Array): Promise<PagePicture> {
  return picturePage(await openDocument(bytes), 1);
}

/** White, with a dark quarter at the top left: 40 × 20. */
function corner(): Sharp {
  return sharp({ create: { width: 40, height: 20, channels: 3, background: WHITE } }).composite([
    { input: { create: { width: 20, height: 10, channels: 3, background: DARK } }, left: 0, top: 0 },
  ]);
}

function isDark(picture: PagePicture, x: number, y: number): boolean {
  return (colourAt(picture, x, y)[0] ?? 255) < 100;
}

test.each([
  ['png', () => corner().png()],
  ['jpeg', () => corner().jpeg({ quality: 95 })],
  ['tiff', () => corner().tiff()],
  ['webp', () => corner().webp({ lossless: true })],
  ['gif', () => corner().gif()],
  ['avif', () => corner().avif({ quality: 90 })],
] as const)('%s becomes RGB, three bytes a pixel', async (format, make) => {
  const document = await openDocument(await make().toBuffer());
  const page = await document.readPage(1);
  const picture = await page.picture();
  expect(document).toMatchObject({ format, pageCount: 1, warnings: [] });
  expect(page).toMatchObject({ page: 1, width: 40, height: 20, source: 'image', textLayer: null });
  expect(picture).toMatchObject({ page: 1, width: 40, height: 20, source: 'image' });
  expect(picture.pixels).toHaveLength(40 * 20 * 3);
  expect([isDark(picture, 4, 4), isDark(picture, 35, 4), isDark(picture, 4, 17)]).toEqual([true, false, false]);
});

test.each([
  [1, 40, 4, 4],
  [2, 40, 35, 4],
  [3, 40, 35, 17],
  [4, 40, 4, 17],
  [5, 20, 4, 4],
  [6, 20, 17, 4],
  [7, 20, 17, 35],
  [8, 20, 4, 35],
])('EXIF orientation %i is applied', async (orientation, width, x, y) => {
  const picture = await readFirst(await corner().jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer());
  expect(picture.width).toBe(width);
  expect(isDark(picture, x, y)).toBe(true);
  expect(isDark(picture, picture.width - 1 - x, picture.height - 1 - y)).toBe(false);
});

test('16-bit grey keeps its middle tone', async () => {
  const values = Uint16Array.from({ length: 64 }, (_, index) => (index < 32 ? 0 : 0x8080));
  const bytes = await sharp(values, { raw: { width: 8, height: 8, channels: 1 } })
    .toColourspace('grey16')
    .png()
    .toBuffer();
  const picture = await readFirst(bytes);
  expect(colourAt(picture, 0, 0)[0]).toBeLessThan(5);
  expect(Math.abs(colourAt(picture, 0, 7)[0] - 128)).toBeLessThan(3);
});

test('CMYK becomes RGB the right way round', async () => {
  const picture = await readFirst(await corner().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer());
  expect(isDark(picture, 4, 4)).toBe(true);
  expect(colourAt(picture, 35, 4).every((value) => value > 240)).toBe(true);
});

test('1-bit TIFF where zero is white, and where zero is black', async () => {
  for (const whiteIsZero of [true, false]) {
    const picture = await readFirst(makeTiff([{ width: 16, height: 8, grey: 0x0f, bits: 1, whiteIsZero }]));
    expect([isDark(picture, 2, 4), isDark(picture, 6, 4)]).toEqual([!whiteIsZero, whiteIsZero]);
  }
});

test('dark text on transparency stands on white, light text on black', async () => {
  for (const [value, ground] of [
    [0, 255],
    [255, 0],
  ] as const) {
    const text = { create: { width: 10, height: 10, channels: 4 as const, background: { r: value, g: value, b: value, alpha: 1 } } };
    const bytes = await sharp({ create: { width: 30, height: 30, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .composite([{ input: text, left: 10, top: 10 }])
      .png()
      .toBuffer();
    const picture = await readFirst(bytes);
    expect([colourAt(picture, 15, 15)[0], colourAt(picture, 2, 2)[0]]).toEqual([value, ground]);
  }
});

test('the pages of a TIFF keep their own sizes and are read one at a time', async () => {
  const document = await openDocument(
    makeTiff([
      { width: 30, height: 10, grey: 255 },
      { width: 12, height: 40, grey: 0 },
      { width: 8, height: 8, grey: 255, whiteIsZero: true },
    ]),
  );
  expect(document.pageCount).toBe(3);
  expect(await document.readPage(2)).toMatchObject({ page: 2, width: 12, height: 40 });
  expect(await document.readPage(1)).toMatchObject({ page: 1, width: 30, height: 10 });
  expect(colourAt(await picturePage(document, 3), 4, 4)).toEqual([0, 0, 0]);
  await expect(document.readPage(4)).rejects.toMatchObject({ code: 'page_not_found' });
});

test('of an animation the first frame is read, and that is said', async () => {
  const frames = await Promise.all(
    [10, 240].map((grey) =>
      sharp({ create: { width: 16, height: 16, channels: 3, background: { r: grey, g: grey, b: grey } } })
        .png()
        .toBuffer(),
    ),
  );
  for (const make of [(image: Sharp) => image.gif(), (image: Sharp) => image.webp({ lossless: true })]) {
    const document = await openDocument(await make(sharp(frames, { join: { animated: true } })).toBuffer());
    const picture = await picturePage(document, 1);
    expect(picture).toMatchObject({ width: 16, height: 16 });
    expect(colourAt(picture, 8, 8)[0]).toBeLessThan(40);
    expect(document.warnings).toEqual([expect.stringContaining('first of its 2 frames')]);
  }
});

async function noise(width: number, height: number): Promise<Buffer> {
  const pixels = Uint8Array.from({ length: width * height * 3 }, (_, index) => (index * 7919) % 251);
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg()
    .toBuffer();
}

test('a JPEG cut short is read as far as it goes, with a warning', async () => {
  const whole = await noise(200, 200);
  const document: SourceDocument = await openDocument(new Uint8Array(whole.subarray(0, Math.floor(whole.length / 2))));
  expect(await document.readPage(1)).toMatchObject({ width: 200, height: 200 });
  expect(document.warnings).toEqual([expect.stringContaining('cut short')]);
});

test('a picture of which nothing is left is corrupt', async () => {
  const whole = await noise(200, 200);
  const open = async (): Promise<PagePicture> => readFirst(new Uint8Array(whole.subarray(0, 30)));
  await expect(open()).rejects.toMatchObject({ code: 'corrupt_document' });
});

test('a picture over the pixel limit is refused before it is decoded, the limit named', async () => {
  const bytes = await sharp({ create: { width: 200, height: 100, channels: 3, background: WHITE } })
    .png()
    .toBuffer();
  await expect(openDocument(bytes, { maxPagePixels: 19_999 })).rejects.toMatchObject({
    code: 'page_too_large',
    message: expect.stringContaining('200 × 100'),
  });
  await expect(openDocument(bytes, { maxPagePixels: 20_000 })).resolves.toMatchObject({ pageCount: 1 });
});

test('a 20,000 × 20,000 PNG bomb is refused by its header', async () => {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200004e2000004e2001000000009d3bc6ed00000000', 'hex');
  const empty = await sharp({ create: { width: 8, height: 8, channels: 3, background: WHITE } })
    .toColourspace('b-w')
    .png({ palette: false })
    .toBuffer();
  const bytes = Buffer.concat([header.subarray(0, 33), empty.subarray(33)]);
  const { crc32 } = await import('node:zlib');
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  await expect(openDocument(new Uint8Array(bytes))).rejects.toMatchObject({ code: 'page_too_large' });
});

test('strips of extreme shape are decoded as they are', async () => {
  for (const [width, height] of [
    [3000, 2],
    [40, 20_000],
  ] as const) {
    const bytes = await sharp({ create: { width, height, channels: 3, background: WHITE } })
      .png()
      .toBuffer();
    expect(await readFirst(bytes)).toMatchObject({ width, height });
  }
});

test('an aborted signal stops before the page is decoded', async () => {
  const document = await openDocument(await corner().png().toBuffer());
  await expect(document.readPage(1, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
});
