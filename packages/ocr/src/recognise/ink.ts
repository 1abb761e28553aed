import type { LinePicture } from '../rectify/warp.ts';

/** Where a line's ink stands, column by column. */
export interface InkProfile {
  /** Ink pixels of each column within the line's own rows. */
  readonly columns: Uint8Array;
  /** Runs of columns without ink, as `[from, to)`, the line's ends included. */
  readonly gaps: readonly (readonly [from: number, to: number])[];
  /** The line's own rows, `[top, bottom)`, as shares of the picture's height. */
  readonly rows: readonly [top: number, bottom: number];
  /** The rows that are full of ink, likewise: the middle part of small letters, or capitals from top to foot. */
  readonly core: readonly [top: number, bottom: number];
  /** How thick strokes are from left to right, as a share of the picture's height. */
  readonly stroke: number;
  /** The highest and the lowest row of ink in each column, within the line's own rows; meaningless where there is none. */
  readonly tops: Uint8Array;
  readonly feet: Uint8Array;
  /** Difference of ink and ground, 0-255. */
  readonly contrast: number;
}

/** The crop is taller than the characters: its outermost rows may hold the feet of the line above. */
const MARGIN = 0.08;
/** A row with less ink than this share of the fullest row parts a line from its neighbours. */
const EMPTY_ROW_SHARE = 0.015;
/** A row with more than this share of the fullest row's ink belongs to the letters' middle part. */
const CORE_SHARE = 0.4;
/** How far a pixel must be from the ground towards the ink. */
const INK_SHARE = 0.4;

function greyRows(line: LinePicture): { grey: Uint8Array; rows: number; offset: number } {
  const [top, bottom] = [Math.floor(line.height * MARGIN), Math.ceil(line.height * (1 - MARGIN))];
  const grey = new Uint8Array((bottom - top) * line.width);
  for (let at = 0, from = top * line.width * 3; at < grey.length; at++, from += 3) {
    const [red, green, blue] = [line.pixels[from] ?? 0, line.pixels[from + 1] ?? 0, line.pixels[from + 2] ?? 0];
    grey[at] = (red * 77 + green * 150 + blue * 29) >> 8;
  }
  return { grey, rows: bottom - top, offset: top };
}

/** The rows of the line itself: from its middle up and down to where there is no ink. */
function ownRows(rowInk: Uint32Array): readonly [top: number, bottom: number] {
  const limit = Math.max(...rowInk) * EMPTY_ROW_SHARE;
  const middle = Math.floor(rowInk.length / 2);
  let [top, bottom] = [middle, middle];
  while (top > 0 && ((rowInk[top - 1] ?? 0) > limit || middle - top < rowInk.length * 0.2)) top--;
  while (bottom < rowInk.length - 1 && ((rowInk[bottom + 1] ?? 0) > limit || bottom - middle < rowInk.length * 0.2)) bottom++;
  return [top, bottom];
}

function percentile(histogram: Uint32Array, total: number, share: number): number {
  let seen = 0;
  for (let value = 0; value < 256; value++) {
    seen += histogram[value] ?? 0;
    if (seen >= total * share) return value;
  }
  return 255;
}

/** The first and last of a line's rows that are full of ink. */
function coreRows(rowInk: Uint32Array, top: number, bottom: number): readonly [top: number, bottom: number] {
  const limit = CORE_SHARE * Math.max(...rowInk.subarray(top, bottom + 1));
  let [first, last] = [top, bottom];
  while (first < last && (rowInk[first] ?? 0) < limit) first++;
  while (last > first && (rowInk[last] ?? 0) < limit) last--;
  return [first, last];
}

/** Ink is what differs from the ground; the ground is what most of the band is, be it light or dark. */
export function inkProfile(line: LinePicture): InkProfile {
  const { grey, rows, offset } = greyRows(line);
  const histogram = new Uint32Array(256);
  for (const value of grey) histogram[value] = (histogram[value] ?? 0) + 1;
  const [dark, middle, light] = [0.02, 0.5, 0.98].map((share) => percentile(histogram, grey.length, share));
  const darkInk = (middle ?? 0) - (dark ?? 0) >= (light ?? 0) - (middle ?? 0);
  const [ground, ink] = darkInk
    ? [percentile(histogram, grey.length, 0.75), dark ?? 0]
    : [percentile(histogram, grey.length, 0.25), light ?? 0];
  const contrast = Math.abs(ground - ink);
  const limit = Math.max(8, contrast * INK_SHARE);
  const isInk = (value: number): boolean => (darkInk ? ground - value : value - ground) > limit;
  const rowInk = new Uint32Array(rows);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let x = 0; x < line.width; x++, at++) if (isInk(grey[at] ?? 0)) rowInk[row] = (rowInk[row] ?? 0) + 1;
  }
  const [top, bottom] = ownRows(rowInk);
  const [columns, tops, feet] = [new Uint8Array(line.width), new Uint8Array(line.width), new Uint8Array(line.width)];
  const [coreTop, coreBottom] = coreRows(rowInk, top, bottom);
  let [coreInk, strokes] = [0, 0];
  for (let row = top, at = top * line.width; row <= bottom; row++) {
    const inCore = row >= coreTop && row <= coreBottom;
    for (let x = 0, before = false; x < line.width; x++, at++) {
      const ink = isInk(grey[at] ?? 0);
      if (ink) {
        if (columns[x] === 0) tops[x] = row;
        feet[x] = row;
        columns[x] = (columns[x] ?? 0) + 1;
      }
      if (ink && inCore) {
        coreInk++;
        if (!before) strokes++;
      }
      before = ink;
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
  const shares = (first: number, last: number): readonly [number, number] => [
    (offset + first) / line.height,
    (offset + last + 1) / line.height,
  ];
  const stroke = coreInk / Math.max(1, strokes) / line.height;
  return { columns, gaps, rows: shares(top, bottom), core: shares(coreTop, coreBottom), stroke, tops, feet, contrast };
}

/** Whether a line's ink goes on to the picture's upper or lower edge, so that some of it may be cut off. */
export function reachesEdge(ink: InkProfile): boolean {
  return ink.rows[0] <= MARGIN + 0.01 || ink.rows[1] >= 1 - MARGIN - 0.01;
}
