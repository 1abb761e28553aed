import type { Pixels } from './detector.ts';

/** Grey values this near to each other are one colour with scanner noise or compression on it. */
const SPREAD = 6;
/** Of so many pixels one may stray: a scratch or a hot pixel. */
const STRAY_SHARE = 1e-6;

/** Whether a picture is one even colour, so that nothing can be read on it; a look at every pixel, no inference. */
export function isBlank({ width, height, pixels }: Pixels): boolean {
  const histogram = new Uint32Array(256);
  for (let at = 0; at < pixels.length; at += 3) {
    const grey = ((pixels[at] ?? 0) * 77 + (pixels[at + 1] ?? 0) * 150 + (pixels[at + 2] ?? 0) * 29) >> 8;
    histogram[grey] = (histogram[grey] ?? 0) + 1;
  }
  let [peak, most] = [0, 0];
  histogram.forEach((count, value) => {
    if (count > most) [peak, most] = [value, count];
  });
  let near = 0;
  for (let value = Math.max(0, peak - SPREAD); value <= Math.min(255, peak + SPREAD); value++) near += histogram[value] ?? 0;
  return width * height - near <= width * height * STRAY_SHARE;
}
