import type { Pixels } from '../detect/detector.ts';
import { distance, type Point, type Quad } from '../geometry.ts';

/** Most samples a side that are averaged for one pixel of the result. */
const MOST_SAMPLES = 4;

/** A row of samples: where in the source it begins, and the way from one to the next, in pixels. */
interface SampleRow {
  readonly start: Point;
  readonly step: Point;
  readonly count: number;
}

/** Samples of which each has four neighbours: the way of nearly every line, so no edge is looked for. */
function sampleInside({ pixels, width }: Pixels, { start, step, count }: SampleRow, result: Uint8Array, offset: number): void {
  const stride = width * 3;
  const [dx, dy] = step;
  let [x, y] = start;
  for (let index = 0, to = offset; index < count; index++, to += 3, x += dx, y += dy) {
    const [ix, iy] = [x | 0, y | 0];
    // Shares of 256, so that whole numbers do: their products are of 65,536.
    const [fx, fy] = [((x - ix) * 256) | 0, ((y - iy) * 256) | 0];
    const w11 = fx * fy;
    const w10 = (fx << 8) - w11;
    const w01 = (fy << 8) - w11;
    const w00 = 0x10000 - w11 - w10 - w01;
    const at = iy * stride + ix * 3;
    const below = at + stride;
    result[to] =
      ((pixels[at] ?? 0) * w00 + (pixels[at + 3] ?? 0) * w10 + (pixels[below] ?? 0) * w01 + (pixels[below + 3] ?? 0) * w11 + 0x8000) >> 16;
    result[to + 1] =
      ((pixels[at + 1] ?? 0) * w00 +
        (pixels[at + 4] ?? 0) * w10 +
        (pixels[below + 1] ?? 0) * w01 +
        (pixels[below + 4] ?? 0) * w11 +
        0x8000) >>
      16;
    result[to + 2] =
      ((pixels[at + 2] ?? 0) * w00 +
        (pixels[at + 5] ?? 0) * w10 +
        (pixels[below + 2] ?? 0) * w01 +
        (pixels[below + 5] ?? 0) * w11 +
        0x8000) >>
      16;
  }
}

/** Samples that may lie beyond the picture, where its edge goes on. */
function sampleAnywhere({ pixels, width, height }: Pixels, { start, step, count }: SampleRow, result: Uint8Array, offset: number): void {
  const [maxX, maxY] = [width - 1, height - 1];
  for (let index = 0, to = offset; index < count; index++, to += 3) {
    const x = Math.min(Math.max(start[0] + index * step[0], 0), maxX);
    const y = Math.min(Math.max(start[1] + index * step[1], 0), maxY);
    const [ix, iy] = [x | 0, y | 0];
    const [fx, fy] = [x - ix, y - iy];
    const at = (iy * width + ix) * 3;
    const right = ix < maxX ? 3 : 0;
    const below = iy < maxY ? width * 3 : 0;
    for (let channel = at; channel < at + 3; channel++) {
      const upper = (pixels[channel] ?? 0) * (1 - fx) + (pixels[channel + right] ?? 0) * fx;
      const lower = (pixels[channel + below] ?? 0) * (1 - fx) + (pixels[channel + right + below] ?? 0) * fx;
      result[to + channel - at] = upper * (1 - fy) + lower * fy + 0.5;
    }
  }
}

function sampleRow(source: Pixels, row: SampleRow, result: Uint8Array, offset: number): void {
  const { start, step, count } = row;
  const end: Point = [start[0] + step[0] * count, start[1] + step[1] * count];
  const isInside = ([x, y]: Point): boolean => x >= 1 && y >= 1 && x < source.width - 2 && y < source.height - 2;
  if (isInside(start) && isInside(end)) sampleInside(source, row, result, offset);
  else sampleAnywhere(source, row, result, offset);
}

/** One row of the result from `samplesY` rows of samples, `samplesX` for each of its pixels. */
function averageSamples(samples: Uint8Array, samplesX: number, samplesY: number, width: number, result: Uint8Array, offset: number): void {
  const weight = 1 / (samplesX * samplesY);
  const stride = width * samplesX * 3;
  for (let x = 0, to = offset; x < width; x++, to += 3) {
    let [red, green, blue] = [0, 0, 0];
    for (let sy = 0; sy < samplesY; sy++) {
      for (let sx = 0, from = sy * stride + x * samplesX * 3; sx < samplesX; sx++, from += 3) {
        red += samples[from] ?? 0;
        green += samples[from + 1] ?? 0;
        blue += samples[from + 2] ?? 0;
      }
    }
    result[to] = red * weight + 0.5;
    result[to + 1] = green * weight + 0.5;
    result[to + 2] = blue * weight + 0.5;
  }
}

/**
 * Cuts a rectangle, at whatever angle, out of a picture and turns it level, `width` × `height`, RGB.
 * Bilinear; where it is larger than the result, several samples are averaged, so that thin strokes do not vanish.
 */
export function warpQuad(source: Pixels, quad: Quad, width: number, height: number): Uint8Array {
  const [origin, right, , below] = quad;
  const samplesX = Math.min(MOST_SAMPLES, Math.max(1, Math.round(distance(origin, right) / width)));
  const samplesY = Math.min(MOST_SAMPLES, Math.max(1, Math.round(distance(origin, below) / height)));
  const [countX, countY] = [width * samplesX, height * samplesY];
  const step: Point = [(right[0] - origin[0]) / countX, (right[1] - origin[1]) / countX];
  const down: Point = [(below[0] - origin[0]) / countY, (below[1] - origin[1]) / countY];
  const startOf = (row: number): Point => [
    origin[0] - 0.5 + step[0] / 2 + down[0] * (row + 0.5),
    origin[1] - 0.5 + step[1] / 2 + down[1] * (row + 0.5),
  ];
  const result = new Uint8Array(width * height * 3);
  if (samplesX * samplesY === 1) {
    for (let y = 0; y < height; y++) sampleRow(source, { start: startOf(y), step, count: width }, result, y * width * 3);
    return result;
  }
  const samples = new Uint8Array(countX * samplesY * 3);
  for (let y = 0; y < height; y++) {
    for (let sy = 0; sy < samplesY; sy++) {
      sampleRow(source, { start: startOf(y * samplesY + sy), step, count: countX }, samples, sy * countX * 3);
    }
    averageSamples(samples, samplesX, samplesY, width, result, y * width * 3);
  }
  return result;
}

/** A straight line picture, ready for the networks. */
export interface LinePicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Widest picture a line may become; a longer one is squeezed, its characters could not be read anyway. */
const MOST_WIDTH = 12_000;

/** The line of a quad, straightened to `height` pixels, its width in proportion. */
export function rectifyLine(source: Pixels, quad: Quad, height: number): LinePicture {
  const [long, short] = [
    (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2,
    Math.max((distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2, 1),
  ];
  const width = Math.min(MOST_WIDTH, Math.max(8, Math.round((long / short) * height)));
  return { width, height, pixels: warpQuad(source, quad, width, height) };
}

/** The same line turned by half a turn. */
export function turnHalf(line: LinePicture): LinePicture {
  const { width, height, pixels } = line;
  const turned = new Uint8Array(pixels.length);
  const count = width * height;
  for (let index = 0; index < count; index++) {
    const [from, to] = [index * 3, (count - 1 - index) * 3];
    turned[to] = pixels[from] ?? 0;
    turned[to + 1] = pixels[from + 1] ?? 0;
    turned[to + 2] = pixels[from + 2] ?? 0;
  }
  return { width, height, pixels: turned };
}

/** The part of a line between two columns. */
export function cropColumns(line: LinePicture, from: number, to: number): LinePicture {
  const width = to - from;
  const pixels = new Uint8Array(width * line.height * 3);
  for (let row = 0; row < line.height; row++) {
    const start = (row * line.width + from) * 3;
    pixels.set(line.pixels.subarray(start, start + width * 3), row * width * 3);
  }
  return { width, height: line.height, pixels };
}
