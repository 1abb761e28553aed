import type { LinePicture } from '../rectify/warp.ts';

/** Where a line's ink stands, column by column. */
export interface InkProfile {
  /** Ink pixels of each column within the line's middle band. */
  readonly columns: Uint8Array;
  /** Runs of columns without ink, as `[from, to)`, the line's ends included. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** Difference of ink and ground, 0-255. */
  readonly contrast: number;
}

/** The crop is taller than the characters and may hold the feet of the line above: only this share of its height counts. */
const BAND_TOP = 0.2;
const BAND_BOTTOM = 0.8;
/** How far a pixel must be from the ground towards the ink. */
const INK_SHARE = 0.4;

function greyBand(line: LinePicture): { grey: Uint8Array; rows: number } {
  const [top, bottom] = [Math.floor(line.height * BAND_TOP), Math.ceil(line.height * BAND_BOTTOM)];
  const grey = new Uint8Array((bottom - top) * line.width);
  for (let at = 0, from = top * line.width * 3; at < grey.length; at++, from += 3) {
    const [red, green, blue] = [line.pixels[from] ?? 0, line.pixels[from + 1] ?? 0, line.pixels[from + 2] ?? 0];
    grey[at] = (red * 77 + green * 150 + blue * 29) >> 8;
  }
  return { grey, rows: bottom - top };
}

function percentile(histogram: Uint32Array, total: number, share: number): number {
  let seen = 0;
  for (let value = 0; value < 256; value++) {
    seen += histogram[value] ?? 0;
    if (seen >= total * share) return value;
  }
  return 255;
}

/** Ink is what differs from the ground; the ground is what most of the band is, be it light or dark. */
export function inkProfile(line: LinePicture): InkProfile {
  const { grey, rows } = greyBand(line);
  const histogram = new Uint32Array(256);
  for (const value of grey) histogram[value] = (histogram[value] ?? 0) + 1;
  const [dark, middle, light] = [0.02, 0.5, 0.98].map((share) => percentile(histogram, grey.length, share));
  const darkInk = (middle ?? 0) - (dark ?? 0) >= (light ?? 0) - (middle ?? 0);
  const [ground, ink] = darkInk ? [percentile(histogram, grey.length, 0.75), dark ?? 0] : [percentile(histogram, grey.length, 0.25), light ?? 0];
  const contrast = Math.abs(ground - ink);
  const limit = Math.max(8, contrast * INK_SHARE);
  const columns = new Uint8Array(line.width);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let x = 0; x < line.width; x++, at++) {
      const difference = darkInk ? ground - (grey[at] ?? 0) : (grey[at] ?? 0) - ground;
      if (difference > limit) columns[x] = (columns[x] ?? 0) + 1;
    }
  }
  const gaps: [number, number][] = [];
  for (let x = 0; x < line.width; ) {
    if ((columns[x] ?? 0) > 0) {
      x++;
      continue;
    }
    const from = x;
    while (x < line.width && columns[x] === 0) x++;
    gaps.push([from, x]);
  }
  return { columns, gaps, contrast };
}
