import sharp from 'sharp';
import { type Point, type Quad, quadHeight, quadWidth, weightedMedian } from '../geometry.ts';
import type { Model } from '../models/session.ts';
import { findRegions } from './components.ts';
import { growCores } from './grow.ts';
import { convexHull, smallestRectangle } from './rectangle.ts';

/** A picture of any size: RGB, 3 bytes a pixel. */
export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A piece of a text line as the detector saw it. */
export interface DetectedLine {
  /** Corners in pixels of the picture, grown to hold whole characters. */
  quad: Quad;
  /** Mean text probability, 0-1. */
  score: number;
}

/**
 * The longest side at which a page is first looked at, and once more where its print turns out fine. Detection's cost and
 * memory grow with the area; lines of ordinary print are found as well at the smaller size, footnotes are not.
 */
const FIRST_SIDE = 1_280;
const FINE_SIDE = 1_600;
/** For the finest print, and for pages on which nothing is found at first: a plan, a table of hundreds of columns. */
const FINEST_SIDE = 2_560;
/** A page longer than this for its width is looked at as closely as one of this shape and of its area. */
const LONG_SHAPE = 3;
const MOST_SHAPE = 50;
/** Pixels of a line's quad, as looked at, below which print is fine. */
const FINE_HEIGHT = 21;
/** And as looked at for the second time, below which it is finest. */
const FINEST_HEIGHT = 13;
/** So much of the page's text must be fine for a second look. */
const FINE_SHARE = 0.3;
/** So many lines in a page's first strip tell how fine its print is, and the rest need not be looked at twice. */
const TELLING_LINES = 12;
const STRIDE = 32;
/** Pixels that are looked at in one go, beside the overlap. */
const MOST_STRIP_AREA = 900_000;
/** Rows that a strip sees beyond its own part. */
const STRIP_OVERLAP = 2 * STRIDE;
const PIXEL_THRESHOLD = 0.3;
const REGION_THRESHOLD = 0.55;
const SMALLEST_SIDE = 3;
const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;

/** Rows of a map, from and up to but not including. */
export interface Strip {
  readonly from: number;
  readonly to: number;
  readonly seenFrom: number;
  readonly seenTo: number;
}

/** How much smaller than it is a picture is looked at: a strip's long side may be longer than the limit, as its area is small. */
function detectionScale(width: number, height: number, longestSide: number): number {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const equal = Math.sqrt(long * Math.max(short, long / MOST_SHAPE) * LONG_SHAPE);
  return Math.min(1, longestSide / Math.min(long, equal));
}

/** The size at which a picture is looked at: its long side within the limit, both sides whole strides, nothing enlarged but the tiny. */
export function detectionSize(width: number, height: number, longestSide: number): readonly [width: number, height: number] {
  const scale = detectionScale(width, height, longestSide);
  const fit = (side: number): number => Math.max(STRIDE, Math.round((side * scale) / STRIDE) * STRIDE);
  return [fit(width), fit(height)];
}

/** RGB bytes to the network's planes: blue, green, red, each normalised with the figure of its place, as the models were trained. */
export function toPlanes(pixels: Uint8Array, count: number): Float32Array {
  const planes = new Float32Array(count * 3);
  const [blue, green, red] = [1 / (255 * DEVIATION[0]), 1 / (255 * DEVIATION[1]), 1 / (255 * DEVIATION[2])];
  const [noBlue, noGreen, noRed] = [MEAN[0] / DEVIATION[0], MEAN[1] / DEVIATION[1], MEAN[2] / DEVIATION[2]];
  for (let index = 0, from = 0; index < count; index++, from += 3) {
    planes[index] = (pixels[from + 2] ?? 0) * blue - noBlue;
    planes[count + index] = (pixels[from + 1] ?? 0) * green - noGreen;
    planes[2 * count + index] = (pixels[from] ?? 0) * red - noRed;
  }
  return planes;
}

/** Regions of a probability map to grown rectangles in the pixels of the picture. */
export function regionsToLines(map: Float32Array, mapWidth: number, mapHeight: number, width: number, height: number): DetectedLine[] {
  const [scaleX, scaleY] = [width / mapWidth, height / mapHeight];
  const cores: DetectedLine[] = [];
  for (const region of findRegions(map, mapWidth, mapHeight, PIXEL_THRESHOLD)) {
    if (region.score < REGION_THRESHOLD) continue;
    const scaled = region.outline.map(([x, y]): Point => [x * scaleX, y * scaleY]);
    const core = smallestRectangle(convexHull(scaled));
    if (core === null || quadHeight(core) < SMALLEST_SIDE * Math.min(scaleX, scaleY)) continue;
    cores.push({ quad: core, score: region.score });
  }
  const grown = growCores(cores.map(({ quad }) => quad));
  return cores.flatMap((core, index) => {
    const quad = grown[index] ?? null;
    return quad === null ? [] : [{ ...core, quad }];
  });
}

/** The strips of rows in which a map of some height is made: each with what it looks at, and the part of that which it tells. */
export function stripsOf(width: number, height: number): readonly Strip[] {
  const count = Math.ceil((width * height) / MOST_STRIP_AREA);
  const step = Math.ceil(height / count / STRIDE) * STRIDE;
  return Array.from({ length: Math.ceil(height / step) }, (_, index): Strip => {
    const [from, to] = [index * step, Math.min(height, (index + 1) * step)];
    return { from, to, seenFrom: Math.max(0, from - STRIP_OVERLAP), seenTo: Math.min(height, to + STRIP_OVERLAP) };
  });
}

/**
 * The network's text probability, 0-1, for each pixel. A large picture is looked at strip by strip, since the memory of one look grows with
 * its area: at 1600 pixels whole pages took 300 MB a thread. Strips overlap by more than the height of a line of print, and only their inner
 * part counts, so a seam leaves no mark.
 * `isEnough` is asked after the first strip, with the map's rows so far: where it says so, the rest is left out and the answer is null.
 */
async function textMap(
  model: Model,
  pixels: Uint8Array,
  width: number,
  height: number,
  isEnough: (map: Float32Array, rows: number) => boolean,
): Promise<Float32Array | null> {
  const map = new Float32Array(width * height);
  for (const { from, to, seenFrom, seenTo } of stripsOf(width, height)) {
    const rows = seenTo - seenFrom;
    const planes = toPlanes(pixels.subarray(seenFrom * width * 3, seenTo * width * 3), width * rows);
    const [output] = await model.run(planes, [1, 3, rows, width]);
    if (!(output?.data instanceof Float32Array)) throw new Error('the detection model gave no probability map');
    map.set(output.data.subarray((from - seenFrom) * width, (to - seenFrom) * width), from * width);
    if (from === 0 && to < height && isEnough(map.subarray(0, to * width), to)) return null;
  }
  return map;
}

/** The lines at one size; null where the first strip's lines were enough to leave the rest out. */
async function detectAt(
  model: Model,
  picture: Pixels,
  longestSide: number,
  isEnough: (lines: readonly DetectedLine[]) => boolean,
): Promise<DetectedLine[] | null> {
  const [width, height] = detectionSize(picture.width, picture.height, longestSide);
  const resized =
    width === picture.width && height === picture.height
      ? picture.pixels
      : await sharp(picture.pixels, { raw: { width: picture.width, height: picture.height, channels: 3 }, limitInputPixels: false })
          .resize(width, height, { fit: 'fill', kernel: 'linear' })
          .raw()
          .toBuffer();
  const linesOf = (map: Float32Array, rows: number): DetectedLine[] =>
    regionsToLines(map, width, rows, picture.width, (picture.height * rows) / height);
  const map = await textMap(model, resized, width, height, (begun, rows) => isEnough(linesOf(begun, rows)));
  return map === null ? null : linesOf(map, height);
}

/** Height of a page's finer lines as looked at with a longest side, in pixels. */
function printHeight(lines: readonly DetectedLine[], { width, height }: Pixels, longestSide: number): number {
  const usual = weightedMedian(
    lines.map(({ quad }) => [quadHeight(quad), quadWidth(quad)]),
    FINE_SHARE,
  );
  return usual * detectionScale(width, height, longestSide);
}

/** The lines of a picture, in no order; looked at again, closer, where a look finds fine print or nothing. */
export async function detectLines(model: Model, picture: Pixels): Promise<DetectedLine[]> {
  const { width, height } = picture;
  const whole = (side: number): boolean => detectionScale(width, height, side) === 1;
  const isFine = (lines: readonly DetectedLine[]): boolean => printHeight(lines, picture, FIRST_SIDE) < FINE_HEIGHT;
  const first = await detectAt(model, picture, FIRST_SIDE, (begun) => !whole(FIRST_SIDE) && begun.length >= TELLING_LINES && isFine(begun));
  if (first !== null && (whole(FIRST_SIDE) || (first.length > 0 && !isFine(first)))) return first;
  const lines = first?.length === 0 ? [] : ((await detectAt(model, picture, FINE_SIDE, () => false)) ?? []);
  if (whole(FINE_SIDE) || (lines.length > 0 && printHeight(lines, picture, FINE_SIDE) >= FINEST_HEIGHT)) return lines;
  return (await detectAt(model, picture, FINEST_SIDE, () => false)) ?? [];
}
