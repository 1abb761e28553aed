import { openDocument } from '../decode/document.ts';
import type { PagePicture } from '../picture.ts';
import { type FixturePage, makePdf } from './pdf-fixture.ts';

/** A picture of a page of text, as if scanned at 200 dpi: made by rendering a PDF, so that no system font is needed. */
export async function pictureOfText(page: FixturePage): Promise<PagePicture> {
  const document = await openDocument(makePdf([page]));
  try {
    return { ...(await (await document.readPage(1)).picture()), source: 'image' };
  } finally {
    document.close();
  }
}

/**
 * A TIFF, 8 bits grey or 1 bit, whose pages each have their own size and one value (of 1-bit pages: of eight pixels), or data as a fax sends
 * them (group 4).
 */
export function makeTiff(
  pages: readonly { width: number; height: number; grey: number; whiteIsZero?: boolean; bits?: 1 | 8; group4?: Uint8Array }[],
): Uint8Array {
  const chunks: Buffer[] = [Buffer.from([0x49, 0x49, 0x2a, 0x00, 8, 0, 0, 0])];
  let position = 8;
  pages.forEach((page, index) => {
    const bits = page.bits ?? 8;
    const size = page.group4?.length ?? Math.ceil((page.width * bits) / 8) * page.height;
    const entries: [tag: number, type: 3 | 4, value: number][] = [
      [256, 4, page.width],
      [257, 4, page.height],
      [258, 3, bits],
      [259, 3, page.group4 === undefined ? 1 : 4],
      [262, 3, page.whiteIsZero === true ? 0 : 1],
      [273, 4, position + 2 + 9 * 12 + 4],
      [277, 3, 1],
      [278, 4, page.height],
      [279, 4, size],
    ];
    const directory = Buffer.alloc(2 + entries.length * 12 + 4);
    directory.writeUInt16LE(entries.length, 0);
    entries.forEach(([tag, type, value], at) => {
      const offset = 2 + at * 12;
      directory.writeUInt16LE(tag, offset);
      directory.writeUInt16LE(type, offset + 2);
      directory.writeUInt32LE(1, offset + 4);
      if (type === 3) directory.writeUInt16LE(value, offset + 8);
      else directory.writeUInt32LE(value, offset + 8);
    });
    const pixels = Buffer.alloc(size + (size % 2), page.grey);
    if (page.group4 !== undefined) pixels.set(page.group4);
    position += directory.length + pixels.length;
    directory.writeUInt32LE(index + 1 < pages.length ? position : 0, directory.length - 4);
    chunks.push(directory, pixels);
  });
  return new Uint8Array(Buffer.concat(chunks));
}

/** The colour of one pixel. */
export function colourAt(picture: PagePicture, x: number, y: number): [number, number, number] {
  const at = (y * picture.width + x) * 3;
  return [picture.pixels[at] ?? -1, picture.pixels[at + 1] ?? -1, picture.pixels[at + 2] ?? -1];
}
