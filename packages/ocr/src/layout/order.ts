import { median, unionBounds } from '../geometry.ts';
import { type Column, columnPieces, columnsOf, readsInRows } from './columns.ts';
import { takeFlow } from './flows.ts';
import { groupIntoLines } from './lines.ts';
import { splitAcrossGutters } from './split.ts';
import { cutIntoStrips, horizontalGaps, type Strip } from './strips.ts';
import { tableGutters, tableRows } from './table.ts';
import type { Piece, Region } from './types.ts';
import { buildZones, piecesOf, type Zone } from './zones.ts';

/** In type sizes: the narrowest gap that may part columns. */
const LEAST_GUTTER = 0.55;
/** A gutter through the whole page parts it first when it is so much wider than those within its parts. */
const WIDER = 1.3;
const HEADING_SIZE = 1.25;
const HEADING_CLEARANCE = 0.4;
const DEEPEST = 6;

function zoneToRegions(zone: Zone, depth: number, leastGap: number): Region[] {
  if (zone.gutters.length === 0 || depth >= DEEPEST) return [{ kind: 'flow', lines: groupIntoLines(piecesOf(zone)) }];
  if (zone.strips.length === 1 && columnsOf(zone).every(({ lines }) => lines.length === 1)) {
    return [{ kind: 'table', rows: tableRows(zone) }];
  }
  if (readsInRows(zone)) return [{ kind: 'table', rows: tableRows({ ...zone, gutters: [...tableGutters(zone, leastGap)] }) }];
  return columnsOf(zone).flatMap((column) => orderPieces(columnPieces(column), depth + 1));
}

/** All the pieces as columns that run from top to bottom, where clear gutters do and the columns are not rows of a table. */
function throughGutters(pieces: readonly Piece[], strips: Strip[], leastGap: number): Zone | null {
  const gutters = horizontalGaps(pieces, leastGap);
  if (gutters.length === 0) return null;
  const zone: Zone = { strips, box: unionBounds(pieces.map(({ box }) => box)), gutters };
  if (columnsOf(zone).some(({ lines }) => lines.length < 3) || readsInRows(zone) || hasHeadingAcross(zone)) return null;
  const narrowest = Math.min(...gutters.map(([from, to]) => to - from));
  return narrowest > WIDER * widestInside(columnsOf(zone), leastGap) ? zone : null;
}

/**
 * Whether a heading begins another story for all columns, though it is too short to cross the gutter: large type alone in its
 * strip, clear of the columns above and below it, which all go on.
 */
function hasHeadingAcross(zone: Zone): boolean {
  const em = median(piecesOf(zone).map(({ size }) => size));
  return zone.strips.some((strip, index) => {
    const [above, below] = [zone.strips[index - 1], zone.strips[index + 1]];
    const size = Math.min(...strip.pieces.map((piece) => piece.size));
    if (above === undefined || below === undefined || strip.gaps.length > 0 || size < HEADING_SIZE * em) return false;
    if (strip.box[1] - above.box[3] < HEADING_CLEARANCE * size || below.box[1] - strip.box[3] < HEADING_CLEARANCE * em) return false;
    const sides = [zone.strips.slice(0, index), zone.strips.slice(index + 1)];
    return sides.every((side) => columnsOf({ ...zone, strips: side }).length === zone.gutters.length + 1);
  });
}

/** The widest gutter within the columns: where it is as wide as those between them, they belong together in stories one below the other. */
function widestInside(columns: readonly Column[], leastGap: number): number {
  const widths = columns.flatMap((column) => {
    const pieces = columnPieces(column);
    const zones = buildZones(cutIntoStrips(pieces, leastGap), leastGap / LEAST_GUTTER, leastGap);
    const inner = zones.filter((zone) => zone.gutters.length > 0 && zone.strips.length >= 3 && !readsInRows(zone));
    return inner.flatMap((zone) => zone.gutters.map(([from, to]) => to - from));
  });
  return Math.max(0, ...widths);
}

/**
 * Puts pieces in reading order: level cuts make strips, strips that share gutters make zones, a zone's columns are read one
 * after the other (each ordered in the same way) or, where it is a table, row by row. Columns that go on past a caption or
 * pull quote between them are followed to their end first.
 */
export function orderPieces(pieces: readonly Piece[], depth = 0): Region[] {
  if (pieces.length === 0) return [];
  const em = median(pieces.map(({ size }) => size));
  const leastGap = LEAST_GUTTER * em;
  const strips = splitAcrossGutters(cutIntoStrips(pieces, leastGap), em, leastGap);
  const separate = strips.flatMap((strip) => strip.pieces);
  const whole = throughGutters(separate, strips, leastGap);
  if (whole !== null && depth < DEEPEST) return columnsOf(whole).flatMap((column) => orderPieces(columnPieces(column), depth + 1));
  const zones = buildZones(strips, em, leastGap);
  const regions: Region[] = [];
  for (let at = 0; at < zones.length; ) {
    const taken = takeFlow(zones, at);
    if (taken !== null) {
      const { streams, floats } = taken.flow;
      for (const part of [...streams, ...floats]) {
        regions.push(...(depth >= DEEPEST ? [{ kind: 'flow' as const, lines: groupIntoLines(part) }] : orderPieces(part, depth + 1)));
      }
      at += taken.taken;
      continue;
    }
    const zone = zones[at++];
    if (zone !== undefined) regions.push(...zoneToRegions(zone, depth, leastGap));
  }
  return regions;
}
