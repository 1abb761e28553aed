import sharp from 'sharp';

const MARGIN = 60;
const TYPE_SIZE = 34;
const LEADING = 56;

/** A page with these lines in black on white, as PNG. */
export async function pagePicture(lines: readonly string[], width = 1_000): Promise<Buffer> {
  const height = MARGIN * 2 + lines.length * LEADING;
  const texts = lines.map(
    (line, index) =>
      `<text x="${MARGIN}" y="${MARGIN + (index + 1) * LEADING - 16}" font-family="DejaVu Serif, serif" font-size="${TYPE_SIZE}">${line}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/>${texts.join('')}</svg>`;
  return await sharp(Buffer.from(svg)).flatten().png().toBuffer();
}

/** A multi-page TIFF of pictures of one size. */
export async function tiffOf(pictures: readonly Buffer[]): Promise<Buffer> {
  return await sharp([...pictures], { join: { animated: true } })
    .tiff({ compression: 'lzw' })
    .toBuffer();
}
