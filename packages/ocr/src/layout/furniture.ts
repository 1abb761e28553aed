import { median } from '../geometry.ts';
import type { Strip } from './strips.ts';
import type { Piece } from './types.ts';

/** Within this share of the page's height from its edge. */
const EDGE_SHARE = 0.12;
/** A number alone may stand further in. */
const NUMBER_EDGE_SHARE = 0.18;
const PAGE_NUMBER = /^[^\p{L}]{0,3}(?:p(?:age)?\.? ?)?\d{1,4}[^\p{L}]{0,3}$/iu;
/** In type sizes: how far furniture stands off. */
const CLEARANCE = 1.2;
const LEAST_STRIPS = 6;

export interface Furniture {
  header: Piece[];
  footer: Piece[];
  body: Piece[];
}

function isFurniture(strip: Strip | undefined, gap: number, em: number): boolean {
  if (strip === undefined || gap < CLEARANCE * em) return false;
  const size = median(strip.pieces.map((piece) => piece.size));
  return strip.box[3] - strip.box[1] < 2 * em && size < 1.15 * em;
}

/** Running titles and page numbers: one line of ordinary or small type at the page's very top or bottom, apart from the rest. */
export function splitFurniture(strips: readonly Strip[], top: number, bottom: number): Furniture {
  const all = strips.flatMap(({ pieces }) => pieces);
  if (strips.length < LEAST_STRIPS) return { header: [], footer: [], body: all };
  const em = median(all.map(({ size }) => size));
  const reach = (strip: Strip): number =>
    (bottom - top) * (strip.pieces.every(({ text }) => PAGE_NUMBER.test(text)) ? NUMBER_EDGE_SHARE : EDGE_SHARE);
  const [first, second, beforeLast, last] = [strips[0], strips[1], strips.at(-2), strips.at(-1)];
  const headerGap = (second?.box[1] ?? 0) - (first?.box[3] ?? 0);
  const footerGap = (last?.box[1] ?? 0) - (beforeLast?.box[3] ?? 0);
  const header = first !== undefined && first.box[3] < top + reach(first) && isFurniture(first, headerGap, em) ? first.pieces : [];
  const footer = last !== undefined && last.box[1] > bottom - reach(last) && isFurniture(last, footerGap, em) ? last.pieces : [];
  const apart = new Set([...header, ...footer]);
  return { header, footer, body: all.filter((piece) => !apart.has(piece)) };
}
