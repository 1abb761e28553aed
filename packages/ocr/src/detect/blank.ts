import type { Pixels } from './detector.ts';

/** Grey values this near to each other are one colour with scanner noise or compression on it. */
const SPREAD = 6;
/** Of so many pixels one may stray: a scratch or a hot pixel. */
const STRAY_SHARE = 1e-6;
/** A first look at one pixel of so many. */
const FEW = 13;

/** Grey values this far from the ground's are ink, and no dust of a scanner. */
const INK_CONTRAST = 64;

interface GreyCounts {
  /** Pixels by grey value. */
  readonly counts: Uint32Array;
  /** The commonest value: the ground. */
  readonly ground: number;
}

/** Counts every pixel, or one in so many. */
function countGreys({ pixels }: Pixels, every = 1): GreyCounts {
  const counts = new Uint32Array(256);
  for (let at = 0; at < pixels.length; at += 3 * every) {
    const grey = ((pixels[at] ?? 0) * 77 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 29) >> 8;
    counts[grey] = (counts[grey] ?? 0) + 1;
  }
  return { counts, ground: counts.indexOf(Math.max(...counts)) };
}

/** Pixels whose grey value is at most `distance` from the ground's. */
function countNear({ counts, ground }: GreyCounts, distance: number): number {
  return counts.subarray(Math.max(0, ground - distance), ground + distance + 1).reduce((sum, count) => sum + count, 0);
}

/** Whether a picture is one even colour, so that nothing can be read on it; no inference, and a look at every pixel where a few leave a doubt. */
export function isBlank(picture: Pixels): boolean {
  const area = picture.width * picture.height;
  const few = countGreys(picture, FEW);
  const strays = few.counts.reduce((sum, count) => sum + count, 0) - countNear(few, 2 * SPREAD);
  if (strays > area * STRAY_SHARE) return false;
  return area - countNear(countGreys(picture), SPREAD) <= area * STRAY_SHARE;
}

/** The share (0-1) of a picture that stands out from its ground as print does. */
export function inkShare(picture: Pixels): number {
  const area = picture.width * picture.height;
  return (area - countNear(countGreys(picture), INK_CONTRAST)) / Math.max(1, area);
}
