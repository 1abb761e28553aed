import type { Pixels } from '../detect/detector.ts';
import { distance, type Point, type Quad } from '../geometry.ts';

/** The eight numbers of the projective map from the unit square to a quad. */
function squareToQuad([p0, p1, p2, p3]: Quad): readonly [number, number, number, number, number, number, number, number] {
  const [dx1, dx2, sx] = [p1[0] - p2[0], p3[0] - p2[0], p0[0] - p1[0] + p2[0] - p3[0]];
  const [dy1, dy2, sy] = [p1[1] - p2[1], p3[1] - p2[1], p0[1] - p1[1] + p2[1] - p3[1]];
  const determinant = dx1 * dy2 - dx2 * dy1;
  const g = determinant === 0 ? 0 : (sx * dy2 - dx2 * sy) / determinant;
  const h = determinant === 0 ? 0 : (dx1 * sy - sx * dy1) / determinant;
  return [p1[0] - p0[0] + g * p1[0], p3[0] - p0[0] + h * p3[0], p0[0], p1[1] - p0[1] + g * p1[1], p3[1] - p0[1] + h * p3[1], p0[1], g, h];
}

/** Most samples a side that are averaged for one pixel of the result. */
const MOST_SAMPLES = 4;

/**
 * Cuts a quad out of a picture and straightens it to `width` × `height`, RGB.
 * Bilinear; where the quad is larger than the result, several samples are averaged, so that thin strokes do not vanish.
 */
export function warpQuad(source: Pixels, quad: Quad, width: number, height: number): Uint8Array {
  const [a, b, c, d, e, f, g, h] = squareToQuad(quad);
  const across = Math.max(distance(quad[0], quad[1]), distance(quad[3], quad[2])) / width;
  const down = Math.max(distance(quad[0], quad[3]), distance(quad[1], quad[2])) / height;
  const samplesX = Math.min(MOST_SAMPLES, Math.max(1, Math.round(across)));
  const samplesY = Math.min(MOST_SAMPLES, Math.max(1, Math.round(down)));
  const { pixels, width: sourceWidth, height: sourceHeight } = source;
  const result = new Uint8Array(width * height * 3);
  const [maxX, maxY] = [sourceWidth - 1, sourceHeight - 1];
  const weight = 1 / (samplesX * samplesY);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [red, green, blue] = [0, 0, 0];
      for (let sy = 0; sy < samplesY; sy++) {
        const v = (y + (sy + 0.5) / samplesY) / height;
        for (let sx = 0; sx < samplesX; sx++) {
          const u = (x + (sx + 0.5) / samplesX) / width;
          const w = g * u + h * v + 1;
          const px = Math.min(Math.max((a * u + b * v + c) / w - 0.5, 0), maxX);
          const py = Math.min(Math.max((d * u + e * v + f) / w - 0.5, 0), maxY);
          const [ix, iy] = [px | 0, py | 0];
          const [fx, fy] = [px - ix, py - iy];
          const at = (iy * sourceWidth + ix) * 3;
          const right = ix < maxX ? 3 : 0;
          const below = iy < maxY ? sourceWidth * 3 : 0;
          const [w00, w10, w01, w11] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy];
          red +=
            (pixels[at] ?? 0) * w00 +
            (pixels[at + right] ?? 0) * w10 +
            (pixels[at + below] ?? 0) * w01 +
            (pixels[at + right + below] ?? 0) * w11;
          green +=
            (pixels[at + 1] ?? 0) * w00 +
            (pixels[at + right + 1] ?? 0) * w10 +
            (pixels[at + below + 1] ?? 0) * w01 +
            (pixels[at + right + below + 1] ?? 0) * w11;
          blue +=
            (pixels[at + 2] ?? 0) * w00 +
            (pixels[at + right + 2] ?? 0) * w10 +
            (pixels[at + below + 2] ?? 0) * w01 +
            (pixels[at + right + below + 2] ?? 0) * w11;
        }
      }
      const to = (y * width + x) * 3;
      result[to] = red * weight + 0.5;
      result[to + 1] = green * weight + 0.5;
      result[to + 2] = blue * weight + 0.5;
    }
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

/** A point of the unit square (0-1 along and across the line) in pixels of the page. */
export function pointOnQuad(quad: Quad, u: number, v: number): Point {
  const [a, b, c, d, e, f, g, h] = squareToQuad(quad);
  const w = g * u + h * v + 1;
  return [(a * u + b * v + c) / w, (d * u + e * v + f) / w];
}
