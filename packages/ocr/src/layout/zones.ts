import { type Bounds, median, unionBounds } from '../geometry.ts';
import { gapsBetween, horizontalGaps, type Interval, intersect, type Strip } from './strips.ts';
import type { Piece } from './types.ts';

/** Strips that share their gutters: one column when there are none. */
export interface Zone {
  strips: Strip[];
  box: Bounds;
  /** Clear from the zone's top to its bottom, with pieces on both sides. */
  gutters: Interval[];
}

/** In type sizes: a gap from line to line that goes on as before, and one that a heading or a break may make. */
const REGULAR_GAP = 1.1;
/** A gap narrower than this within a line is a wide word space where the lines around it run through. */
const WORD_GAP = 2.5;
const HEADING_CLEARANCE = 0.5;
const TABLE_CLEARANCE = 0.5;
/** A strip may close this share of a zone's gutters, as a long cell does. */
const LOST_SHARE = 0.4;

export function piecesOf(zone: Zone): Piece[] {
  return zone.strips.flatMap(({ pieces }) => pieces);
}

function covers(strip: Strip, [from, to]: Interval): boolean {
  return strip.pieces.some(({ box }) => box[0] < from && box[2] > to);
}

/** The gaps of a strip without those that are only wide word spaces: narrow, while the lines above and below run through. */
function columnGaps(strips: readonly Strip[], index: number, em: number): Interval[] {
  const strip = strips[index];
  if (strip === undefined) return [];
  const neighbours = [strips[index - 1], strips[index + 1]].filter((other) => other !== undefined);
  const near = neighbours.filter((other) => Math.max(other.box[1] - strip.box[3], strip.box[1] - other.box[3]) < REGULAR_GAP * em);
  return strip.gaps.filter((gap) => gap[1] - gap[0] > WORD_GAP * em || !near.some((other) => covers(other, gap)));
}

/** What stays of a zone's gutters under one more strip. */
function keepGutters(gutters: readonly Interval[], strip: Strip, leastGap: number): Interval[] {
  const [x0, x1] = [Math.min(strip.box[0], ...gutters.map(([from]) => from)), Math.max(strip.box[2], ...gutters.map(([, to]) => to))];
  const clear = gapsBetween([[x0 - 2, x0 - 1], ...strip.pieces.map(({ box }): Interval => [box[0], box[2]]), [x1 + 1, x1 + 2]], 0);
  return intersect(gutters, clear, leastGap);
}

/** Large type that stands off from everything above it; the second line of a heading within one column does not. */
function isHeading(strip: Strip, zone: Zone): boolean {
  if (strip.box[1] - zone.box[3] < HEADING_CLEARANCE * median(strip.pieces.map(({ size }) => size))) return false;
  return median(strip.pieces.map(({ size }) => size)) > 1.25 * median(piecesOf(zone).map(({ size }) => size));
}

/** Whether a strip has so many more columns than the zone that a table begins below columns of text, or below another table. */
function isFinerTable(gaps: readonly Interval[], zone: Zone, strip: Strip, em: number): boolean {
  return gaps.length > 2 * zone.gutters.length && strip.box[1] - zone.box[3] > TABLE_CLEARANCE * em;
}

/** Whether a strip of one column goes on with a zone of several: it follows closely, or the columns go on below it. */
function continues(
  strips: readonly Strip[],
  gaps: readonly Interval[][],
  index: number,
  zone: Zone,
  em: number,
  leastGap: number,
): boolean {
  const strip = strips[index];
  if (strip === undefined || isHeading(strip, zone)) return false;
  if (strip.box[1] - zone.box[3] < REGULAR_GAP * em) return true;
  for (let at = index + 1; at < strips.length && at <= index + 3; at++) {
    const next = strips[at];
    if (next === undefined || keepGutters(zone.gutters, next, leastGap).length < zone.gutters.length || isHeading(next, zone)) return false;
    if ((gaps[at] ?? []).length > 0) return true;
  }
  return false;
}

/**
 * A column that begins higher than the one to its left: the lines of its beginning stand alone, right of the first gutter and
 * close above the rest, and are taken from the zone above.
 */
function takeEarlyStrips(above: Zone, strip: Strip, gutters: readonly Interval[], em: number): Strip[] {
  const [from = 0] = gutters[0] ?? [];
  const early: Strip[] = [];
  if (above.gutters.length > 0) return early;
  let next = strip;
  for (let last = above.strips.at(-1); last !== undefined; last = above.strips.at(-1)) {
    if (last.box[0] < from || next.box[1] - last.box[3] > REGULAR_GAP * em) break;
    early.unshift(last);
    above.strips.pop();
    next = last;
  }
  if (above.strips.length > 0) above.box = unionBounds(above.strips.map(({ box }) => box));
  return early;
}

/** Groups strips, from the top, into zones. */
export function buildZones(strips: readonly Strip[], em: number, leastGap: number): Zone[] {
  const gaps = strips.map((_, index) => columnGaps(strips, index, em));
  const zones: Zone[] = [];
  strips.forEach((strip, index) => {
    const own = gaps[index] ?? [];
    const zone = zones.at(-1);
    if (zone === undefined) {
      zones.push({ strips: [strip], box: strip.box, gutters: own });
      return;
    }
    const kept = keepGutters(zone.gutters, strip, leastGap);
    const bothSingle = zone.gutters.length === 0 && own.length === 0;
    const joins =
      bothSingle ||
      (kept.length > 0 &&
        (own.length > 0
          ? !isFinerTable(own, zone, strip, em) &&
            kept.length >= zone.gutters.length * (1 - LOST_SHARE) &&
            intersect(kept, own, leastGap).length > 0
          : kept.length === zone.gutters.length && continues(strips, gaps, index, zone, em, leastGap)));
    if (!joins) {
      const early = own.length > 0 ? takeEarlyStrips(zone, strip, own, em) : [];
      zones.push({ strips: [...early, strip], box: unionBounds([...early, strip].map(({ box }) => box)), gutters: own });
      if (zone.strips.length === 0) zones.splice(zones.indexOf(zone), 1);
      return;
    }
    zone.strips.push(strip);
    zone.box = unionBounds([zone.box, strip.box]);
    if (!bothSingle) zone.gutters = kept;
  });
  return absorbWordGaps(zones, em).map((zone) => refineGutters(zone, leastGap));
}

/** Whether a zone of one column has the lines of this short one in its course: close, as wide, and in type of the same size. */
function runsThrough(column: Zone | undefined, short: Zone, em: number): boolean {
  if (column === undefined || column.gutters.length > 0) return false;
  const near = Math.max(short.box[1] - column.box[3], column.box[1] - short.box[3]) < REGULAR_GAP * em;
  const sizes = [column, short].map((zone) => median(piecesOf(zone).map(({ size }) => size)));
  const alike = Math.max(...sizes) < 1.2 * Math.min(...sizes);
  return near && alike && column.box[0] < short.box[0] + em && column.box[2] > short.box[2] - em;
}

/** In lines that are spread to fill a narrow column, word spaces grow wide: a line or two of them are no columns. */
function absorbWordGaps(zones: readonly Zone[], em: number): Zone[] {
  const result: Zone[] = [];
  zones.forEach((zone, index) => {
    const wordGaps = zone.strips.length <= 2 && zone.strips.every(({ gaps }) => gaps.every(([from, to]) => to - from < WORD_GAP * em));
    const within =
      zone.gutters.length > 0 && wordGaps && (runsThrough(zones[index - 1], zone, em) || runsThrough(zones[index + 1], zone, em));
    const plain = within ? { ...zone, gutters: [] } : zone;
    const last = result.at(-1);
    if (last !== undefined && last.gutters.length === 0 && plain.gutters.length === 0) {
      result[result.length - 1] = { strips: [...last.strips, ...plain.strips], box: unionBounds([last.box, plain.box]), gutters: [] };
    } else result.push(plain);
  });
  return result;
}

/** The gutters of a whole zone: a strip may add gaps that the first one lacked, where nothing else crosses them. */
function refineGutters(zone: Zone, leastGap: number): Zone {
  return zone.gutters.length === 0 ? zone : { ...zone, gutters: horizontalGaps(piecesOf(zone), leastGap) };
}

/** Pieces by column, from the left. */
export function splitColumns(pieces: readonly Piece[], gutters: readonly Interval[]): Piece[][] {
  const columns: Piece[][] = Array.from({ length: gutters.length + 1 }, () => []);
  for (const piece of pieces) {
    const middle = (piece.box[0] + piece.box[2]) / 2;
    columns[gutters.filter(([from, to]) => (from + to) / 2 < middle).length]?.push(piece);
  }
  return columns;
}
