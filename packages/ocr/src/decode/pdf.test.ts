import { expect, test } from 'vitest';
import { makePdf, pdfStream } from '../testing/pdf-fixture.ts';
import { colourAt } from '../testing/picture-fixture.ts';
import { openDocument } from './document.ts';

const SENTENCE = 'Wheat flour and bread rye, two sacks each.';
const letter = { width: 612, height: 792, texts: [{ x: 72, y: 700, size: 12, text: SENTENCE }] };

test('a born-digital page carries its own text, exactly and in its place', async () => {
  const document = await openDocument(makePdf([letter]));
  const page = await document.readPage(1);
  expect(document).toMatchObject({ format: 'pdf', pageCount: 1 });
  expect(page).toMatchObject({ width: 1700, height: 2200, source: 'pdf-text' });
  expect(page.textLayer?.map(({ text }) => text)).toEqual([SENTENCE]);
  const [line] = page.textLayer ?? [];
  const [x, y] = line?.polygon[0] ?? [0, 0];
  expect(Math.abs(x - 200)).toBeLessThan(4);
  expect(y).toBeGreaterThan((792 - 712) * (200 / 72) - 12);
  expect(y).toBeLessThan((792 - 700) * (200 / 72));
  expect(line?.fontSize).toBeCloseTo(33.3, 0);
});

test.each([90, 180, 270])('a page turned by %i is shown turned, its text with it', async (rotate) => {
  const page = await (await openDocument(makePdf([{ ...letter, rotate }]))).readPage(1);
  expect([page.width, page.height]).toEqual(rotate === 180 ? [1700, 2200] : [2200, 1700]);
  const [topLeft, topRight] = page.textLayer?.[0]?.polygon ?? [];
  const direction = Math.atan2((topRight?.[1] ?? 0) - (topLeft?.[1] ?? 0), (topRight?.[0] ?? 0) - (topLeft?.[0] ?? 0));
  expect(((Math.round((direction * 180) / Math.PI) % 360) + 360) % 360).toBe(rotate);
});

test('colours are red, green, blue', async () => {
  const page = await (await openDocument(makePdf([{ width: 72, height: 72, content: '1 0.5 0 rg 0 0 72 72 re f' }]))).readPage(1);
  const picture = await page.picture();
  expect(picture).toMatchObject({ width: 200, height: 200, source: 'pdf-render' });
  const [red, green, blue] = colourAt(picture, 100, 100);
  expect([red, blue]).toEqual([255, 0]);
  expect(Math.abs(green - 128)).toBeLessThan(3);
});

test('columns of one line are pieces of their own', async () => {
  const texts = [
    { x: 72, y: 700, size: 12, text: 'Item' },
    { x: 300, y: 700, size: 12, text: 'Price' },
  ];
  const page = await (await openDocument(makePdf([{ width: 612, height: 792, texts }]))).readPage(1);
  expect(page.textLayer?.map(({ text }) => text)).toEqual(['Item', 'Price']);
});

test('junk before %PDF is skipped', async () => {
  const document = await openDocument(makePdf([letter], { junkBefore: 'HTTP/1.1 200 OK\r\n\r\n' }));
  expect((await document.readPage(1)).textLayer?.[0]?.text).toBe(SENTENCE);
});

test('an empty user password is no password; a real one is needed', async () => {
  const open = await openDocument(makePdf([letter], { userPassword: '' }));
  expect((await open.readPage(1)).textLayer?.[0]?.text).toBe(SENTENCE);
  await expect(openDocument(makePdf([letter], { userPassword: 'secret' }))).rejects.toMatchObject({ code: 'encrypted_document' });
});

test('a file cut short is corrupt', async () => {
  const whole = makePdf([letter]);
  await expect(openDocument(whole.subarray(0, 200))).rejects.toMatchObject({ code: 'corrupt_document' });
});

test('a document without pages is corrupt, one with too many is refused', async () => {
  await expect(openDocument(makePdf([]))).rejects.toMatchObject({ code: 'corrupt_document' });
  await expect(openDocument(makePdf([letter, letter, letter]), { maxPages: 2 })).rejects.toMatchObject({ code: 'too_many_pages' });
});

test('a huge page box is refused by its size, the pages beside it are read', async () => {
  const document = await openDocument(makePdf([letter, { width: 14_400, height: 14_400 }, letter]));
  await expect(document.readPage(2)).rejects.toMatchObject({ code: 'page_too_large', message: expect.stringContaining('100.0 million') });
  expect((await document.readPage(3)).textLayer?.[0]?.text).toBe(SENTENCE);
});

test('an empty page has no text layer', async () => {
  expect(await (await openDocument(makePdf([{ width: 100, height: 100 }]))).readPage(1)).toMatchObject({
    source: 'pdf-render',
    textLayer: null,
  });
});

test('a picture is drawn once, when it is asked for, and never of a closed document', async () => {
  const document = await openDocument(makePdf([letter, letter]));
  const [first, second] = [await document.readPage(1), await document.readPage(2)];
  const drawn = await first.picture();
  // Not by toBe: on a failure it would print eleven million numbers.
  expect((await first.picture()) === drawn).toBe(true);
  expect(drawn.pixels).toHaveLength(1700 * 2200 * 3);
  document.close();
  await expect(second.picture()).rejects.toThrow('closed document');
});

const FONT = '/Resources << /Font << /F1 3 0 R >> >>';

test.each([
  ['a note', '/Subtype /FreeText /Contents (Seen by all)'],
  ['a filled-in field', '/Subtype /Widget /FT /Tx /T (name) /V (Seen by all) /F 4'],
])('%s is part of the text of its page', async (_name, entries) => {
  const appearance = pdfStream('BT /F1 12 Tf 2 4 Td (Seen by all) Tj ET', `/Type /XObject /Subtype /Form /BBox [0 0 140 20] ${FONT}`);
  const objects = [`<< /Type /Annot ${entries} /Rect [100 500 240 520] /DA (/F1 12 Tf) /AP << /N 7 0 R >> >>`, appearance];
  const page = await (await openDocument(makePdf([{ ...letter, entries: '/Annots [6 0 R]' }], { objects }))).readPage(1);
  expect(page.textLayer?.map(({ text }) => text)).toEqual([SENTENCE, 'Seen by all']);
});

test('text beyond the edges of its page is nobody’s', async () => {
  const beyond = { x: 5000, y: 700, size: 12, text: 'Beyond' };
  const page = await (await openDocument(makePdf([{ ...letter, texts: [...(letter.texts ?? []), beyond] }]))).readPage(1);
  expect(page.textLayer?.map(({ text }) => text)).toEqual([SENTENCE]);
});

test('forms that draw forms tenfold fail on their page within bounded memory, and the next document is read', async () => {
  const DEPTH = 8;
  const objects = Array.from({ length: DEPTH }, (_, depth) => {
    const [content, inner] = depth + 1 < DEPTH ? ['/X Do '.repeat(10), `/XObject << /X ${7 + depth} 0 R >>`] : ['0 0 1 1 re f', ''];
    return pdfStream(content, `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${inner} >>`);
  });
  const before = process.memoryUsage().rss;
  const document = await openDocument(makePdf([{ ...letter, content: '/X Do', resources: '/XObject << /X 6 0 R >>' }], { objects }));
  await expect(document.readPage(1)).rejects.toMatchObject({ code: 'corrupt_document' });
  expect(process.memoryUsage().rss - before).toBeLessThan(700e6);
  expect((await (await openDocument(makePdf([letter]))).readPage(1)).textLayer?.[0]?.text).toBe(SENTENCE);
});

test('the reader’s picture of a page read by its own text is drawn smaller, and is the page’s picture where that was drawn', async () => {
  const page = await (await openDocument(makePdf([letter]))).readPage(1);
  expect(await page.preview()).toMatchObject({ width: 1236, height: 1600 });
  const drawn = await page.picture();
  expect((await page.preview()) === drawn).toBe(true);
});
