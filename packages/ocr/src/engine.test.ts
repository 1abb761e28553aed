import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageResultSchema } from '@galley/contract';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodedPage } from './decode/decoded-page.ts';
import { openDocument } from './decode/document.ts';
import { createRecogniser, type Recogniser } from './engine.ts';
import { pageToText } from './export/text.ts';
import type { DocumentPage, PagePicture } from './picture.ts';
import { seededRandom } from './testing/mutate.ts';
import { makePdf } from './testing/pdf-fixture.ts';
import { pictureOfText } from './testing/picture-fixture.ts';

let recogniser: Recogniser;
beforeAll(async () => {
  recogniser = await createRecogniser();
});
afterAll(async () => recogniser.close());

const LINES = ['The harbour master writes each', 'ship into the book, her cargo', 'and the hour of her arrival.'];
const page = { width: 320, height: 140, texts: LINES.map((text, index) => ({ x: 30, y: 100 - index * 18, size: 13, text })) };
const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

async function turn(picture: PagePicture, degrees: number): Promise<PagePicture> {
  const { data, info } = await sharp(picture.pixels, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .rotate(degrees, { background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { ...picture, width: info.width, height: info.height, pixels: data };
}

test('a page becomes a result that the contract takes, its lines in the frame of the page', async () => {
  const picture = await pictureOfText(page);
  const result = pageResultSchema.parse(await recogniser.recognise(decodedPage(picture)));
  expect(result).toMatchObject({ page: 1, width: picture.width, height: picture.height, source: 'image', engine: 'onnx' });
  expect(fold(pageToText(result))).toBe(LINES.join(' '));
  const [first] = result.blocks.flatMap(({ lines }) => lines);
  expect(first?.confidence).toBeGreaterThan(0.9);
  expect(Math.abs((first?.polygon[0]?.[0] ?? 0) - 30 * (200 / 72))).toBeLessThan(20);
});

test.each([90, 180, 270, 3, -5])('a page turned by %i degrees reads the same and states the angle', async (degrees) => {
  const result = await recogniser.recognise(decodedPage(await turn(await pictureOfText(page), degrees)));
  expect(fold(pageToText(result))).toBe(LINES.join(' '));
  expect(Math.abs(((result.angle + degrees + 540) % 360) - 180)).toBeLessThan(1);
});

test('light text on a dark ground', async () => {
  const picture = await pictureOfText(page);
  const result = await recogniser.recognise(decodedPage({ ...picture, pixels: picture.pixels.map((value) => 255 - value) }));
  expect(fold(pageToText(result))).toBe(LINES.join(' '));
});

test('a blank page, white or black, is a success without blocks', async () => {
  for (const value of [255, 0]) {
    const blank: PagePicture = {
      page: 3,
      width: 600,
      height: 800,
      pixels: new Uint8Array(600 * 800 * 3).fill(value),
      source: 'image',
    };
    expect(await recogniser.recognise(decodedPage(blank))).toMatchObject({ page: 3, blocks: [], markdown: '', angle: 0 });
  }
});

test('strips of extreme shape neither crash nor hang', async () => {
  for (const [width, height] of [
    [3000, 2],
    [40, 20_000],
    [1, 1],
  ] as const) {
    const pixels = Uint8Array.from({ length: width * height * 3 }, (_, index) => (index * 7919) % 256);
    const strip = decodedPage({ page: 1, width, height, pixels, source: 'image' });
    await expect(recogniser.recognise(strip)).resolves.toMatchObject({ width, height });
  }
});

test('auto takes a sound text layer; onnx reads the picture; text-layer needs one', async () => {
  const born = await (await openDocument(makePdf([page]))).readPage(1);
  let drawn = 0;
  const counted: DocumentPage = {
    ...born,
    picture: () => {
      drawn++;
      return born.picture();
    },
  };
  const own = await recogniser.recognise(counted);
  expect(drawn).toBe(0);
  const read = await recogniser.recognise(counted, { engine: 'onnx' });
  expect(drawn).toBe(1);
  expect(own).toMatchObject({ engine: 'text-layer', source: 'pdf-text' });
  expect(read).toMatchObject({ engine: 'onnx', source: 'pdf-render' });
  expect([fold(pageToText(own)), fold(pageToText(read))]).toEqual([LINES.join(' '), LINES.join(' ')]);
  await expect(recogniser.recognise({ ...born, textLayer: null }, { engine: 'text-layer' })).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
});

test('an abort ends the work between two lines, with its own reason', async () => {
  const controller = new AbortController();
  const running = recogniser.recognise(decodedPage(await pictureOfText(page)), { signal: controller.signal });
  controller.abort(new Error('cancelled by a person'));
  await expect(running).rejects.toThrow('cancelled by a person');
});

const SCAN_LINES = [
  'This page was typed in the office of the',
  'harbour master and went through a scanner',
  'that knows nothing but black and white.',
  'Forty sacks of rye and twelve barrels of',
  'salt herring were weighed before noon, and',
  'the quick brown dog jumped over them. All',
  'of it was paid for in full by 3 March 1907.',
];

/** As an old office scanner has it: black or white alone, with ragged edges. */
function scanned(picture: PagePicture, seed: number): PagePicture {
  const random = seededRandom(seed);
  const pixels = new Uint8Array(picture.pixels.length);
  for (let at = 0; at < pixels.length; at += 3) {
    const dark = (picture.pixels[at] ?? 255) < 60 + 130 * random();
    pixels.fill(dark ? 0 : 255, at, at + 3);
  }
  return { ...picture, pixels };
}

test.each([0, 90, 180, 270])('a ragged scan in black and white, turned by %i degrees, reads exactly', async (degrees) => {
  const texts = SCAN_LINES.map((text, index) => ({ x: 40, y: 190 - index * 22, size: 13, text }));
  const picture = scanned(await pictureOfText({ width: 360, height: 240, texts }), 1);
  const result = await recogniser.recognise(decodedPage(degrees === 0 ? picture : await turn(picture, degrees)));
  expect(fold(pageToText(result))).toBe(SCAN_LINES.join(' '));
});

const shared = process.env['GALLEY_SHARED_DIR'] ?? resolve(dirname(fileURLToPath(import.meta.url)), '../../../../shared');
const scans = join(shared, 'samples/scans');
if (!existsSync(scans)) console.log(`The scans of a public test suite are not at ${scans}; set GALLEY_SHARED_DIR to test with them.`);
const SCANS = ['phototest.tif', 'phototest-rotated-180.png', 'phototest-rotated-L.png', 'phototest-rotated-R.png'];

test.each(existsSync(scans) ? SCANS : [])('%s reads exactly as its gold text', async (name) => {
  const document = await openDocument(new Uint8Array(readFileSync(join(scans, name))));
  const result = await recogniser.recognise(await document.readPage(1));
  expect(fold(pageToText(result))).toBe(fold(readFileSync(join(scans, 'phototest.gold.txt'), 'utf8')));
});
