/** The measures of a chart, px (design §5). */
export const LEFT = 44;
export const TOP = 8;
export const BOTTOM = 22;
export const RIGHT = 128;
export const RIGHT_ON_PHONE = 112;
export const HEIGHT = 240;
export const HEIGHT_OF_QUANTILES = 144;
export const LABEL_GAP = 19;

/** The failed strip under the throughput: its own height, and the space over it. */
export const STRIP = 21;
export const STRIP_GAP = 21;

export interface Plot {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function plotOf(width: number, height: number, rightMargin: number): Plot {
  return { width, height, left: LEFT, right: Math.max(LEFT + 1, width - rightMargin), top: TOP, bottom: height - BOTTOM };
}

/** Where a value of an axis from 0 to `top` lies between two edges; 0 at the lower. */
export function yOf(value: number, top: number, upper: number, lower: number): number {
  return lower - (Math.min(value, top) / top) * (lower - upper);
}

export function xOf(at: number, from: number, to: number, plot: Plot): number {
  return plot.left + ((at - from) / (to - from)) * (plot.right - plot.left);
}
