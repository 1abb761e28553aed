import { type Bounds, unionBounds } from '../geometry.ts';
import { height, type Piece } from './types.ts';

/** A stretch of the x axis, `[from, to]`. */
export type Interval = readonly [from: number, to: number];

/** Pieces that overlap vertically with each other, directly or by way of others: between two strips runs a clear level cut. */
export interface Strip {
  pieces: Piece[];
  box: Bounds;
  /** Stretches of the page's width that no piece of the strip covers and that have pieces on both sides. */
  gaps: Interval[];
}

/** Boxes may reach into each other by this share of their height and still be told apart. */
const SLACK = 0.12;

/** Merges intervals that touch; the result is sorted. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** The gaps between merged intervals that are at least so wide. */
export function gapsBetween(intervals: readonly Interval[], least: number): Interval[] {
  const merged = mergeIntervals(intervals);
  return merged.slice(1).flatMap(([from], index): Interval[] => {
    const before = merged[index]?.[1] ?? from;
    return from - before >= least ? [[before, from]] : [];
  });
}

export function horizontalGaps(pieces: readonly Piece[], least: number): Interval[] {
  return gapsBetween(
    pieces.map(({ box }): Interval => [box[0], box[2]]),
    least,
  );
}

/** Cuts pieces into strips, from the top. `leastGap`: the narrowest gap (pixels) that may part columns. */
export function cutIntoStrips(pieces: readonly Piece[], leastGap: number): Strip[] {
  const sorted = [...pieces].sort((a, b) => a.box[1] - b.box[1]);
  const strips: Piece[][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const piece of sorted) {
    const slack = SLACK * height(piece.box);
    if (piece.box[1] + slack >= bottom || strips.length === 0) strips.push([piece]);
    else strips.at(-1)?.push(piece);
    bottom = Math.max(bottom, piece.box[3] - slack);
  }
  return strips.map((members) => ({
    pieces: members,
    box: unionBounds(members.map(({ box }) => box)),
    gaps: horizontalGaps(members, leastGap),
  }));
}

/** Parts of two sets of intervals that both hold, at least so wide. */
export function intersect(a: readonly Interval[], b: readonly Interval[], least: number): Interval[] {
  return a.flatMap(([from, to]) =>
    b.flatMap(([otherFrom, otherTo]): Interval[] => {
      const shared: Interval = [Math.max(from, otherFrom), Math.min(to, otherTo)];
      return shared[1] - shared[0] >= least ? [shared] : [];
    }),
  );
}
