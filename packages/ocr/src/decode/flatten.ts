/**
 * Puts a picture with transparency on an opaque ground that its content stands out from.
 *
 * The pixels that border the transparent part decide: where they are light (white text on nothing), the ground is black,
 * else white. Without such pixels (all faint), the mean lightness weighted by opacity decides.
 */
const OPAQUE = 128;
const LIGHT = 150;

function lightness(pixels: Uint8Array, at: number): number {
  return 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);
}

/** The grey value (0 or 255) of the ground for RGBA pixels; 255 when nothing is transparent. */
export function chooseGround(pixels: Uint8Array, width: number, height: number): 0 | 255 {
  let [edgeSum, edgeCount, weightedSum, weight] = [0, 0, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const alpha = pixels[at + 3] ?? 255;
      if (alpha === 0) continue;
      weightedSum += lightness(pixels, at) * alpha;
      weight += alpha;
      if (alpha < OPAQUE) continue;
      const clear =
        (x > 0 && (pixels[at - 1] ?? 255) < OPAQUE) ||
        (x + 1 < width && (pixels[at + 7] ?? 255) < OPAQUE) ||
        (y > 0 && (pixels[at + 3 - width * 4] ?? 255) < OPAQUE) ||
        (y + 1 < height && (pixels[at + 3 + width * 4] ?? 255) < OPAQUE);
      if (!clear) continue;
      edgeSum += lightness(pixels, at);
      edgeCount++;
    }
  }
  if (edgeCount > 0) return edgeSum / edgeCount > LIGHT ? 0 : 255;
  if (weight === 0) return 255;
  return weightedSum / weight > LIGHT && weight < width * height * 250 ? 0 : 255;
}

/** RGBA to RGB over the ground that `chooseGround` names. */
export function flatten(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const ground = chooseGround(pixels, width, height);
  const flat = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < flat.length; from += 4, to += 3) {
    const alpha = (pixels[from + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel++) {
      flat[to + channel] = Math.round((pixels[from + channel] ?? 0) * alpha + ground * (1 - alpha));
    }
  }
  return flat;
}
