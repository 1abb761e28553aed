import { median } from '../geometry.ts';
import { groupIntoLines } from './lines.ts';
import { horizontalGaps, type Interval, type Strip } from './strips.ts';
import type { TextLine } from './types.ts';
import { splitColumns, type Zone } from './zones.ts';

/** In type sizes. */
const CLEAR_STEP = 0.3;

function filledColumns(strip: Strip, zone: Zone): boolean[] {
  return splitColumns(strip.pieces, zone.gutters).map((pieces) => pieces.length > 0);
}

/** Where the gaps between strips fall into two kinds, the middle between them; else null. */
function gapThreshold(gaps: readonly number[], em: number): number | null {
  const sorted = [...gaps].sort((a, b) => a - b);
  let [best, threshold] = [CLEAR_STEP * em, Number.NaN];
  for (let index = 1; index < sorted.length; index++) {
    const [low, high] = [sorted[index - 1] ?? 0, sorted[index] ?? 0];
    if (high - low > best && low < 0.7 * em) [best, threshold] = [high - low, (low + high) / 2];
  }
  return Number.isNaN(threshold) ? null : threshold;
}

const share = (flags: readonly boolean[]): number => flags.filter(Boolean).length / Math.max(1, flags.length);

/** Which strips begin a row; the others are further lines of the row's cells. */
function rowStarts(zone: Zone): boolean[] {
  const em = median(zone.strips.flatMap(({ pieces }) => pieces.map(({ size }) => size)));
  const gaps = zone.strips.slice(1).map((strip, index) => strip.box[1] - (zone.strips[index]?.box[3] ?? 0));
  const filled = zone.strips.map((strip) => filledColumns(strip, zone));
  const threshold = gapThreshold(gaps, em);
  const byGap = zone.strips.map((_, index) => index === 0 || threshold === null || (gaps[index - 1] ?? 0) > threshold);
  const fillOf = (starts: boolean): number => {
    const chosen = filled.filter((_, index) => byGap[index] === starts);
    return chosen.reduce((sum, flags) => sum + share(flags), 0) / Math.max(1, chosen.length);
  };
  // In a table whose rows merely come in groups, the rows after the first of a group are as full as the first.
  const cellsWrap = threshold !== null && byGap.filter(Boolean).length >= 2 && fillOf(true) > fillOf(false) + 0.1;
  return zone.strips.map((_, index) => {
    if (index === 0) return true;
    if (cellsWrap) return byGap[index] === true;
    const wraps =
      filled[index]?.[0] === false && (gaps[index - 1] ?? 0) < 0.6 * em && share(filled[index] ?? []) < share(filled[index - 1] ?? []);
    return !wraps;
  });
}

/** A table's gutters are shown by so many of its strips, at least so many. */
const SHOWING_SHARE = 0.4;
const SHOWING_LEAST = 3;

/**
 * A table's gutters where a few of its cells reach across them, such as the label of a sum: those that its fuller strips leave free.
 * Never fewer than the zone's own.
 */
export function tableGutters(zone: Zone, leastGap: number): readonly Interval[] {
  const counts = [...new Set(zone.strips.map(({ gaps }) => gaps.length))].sort((a, b) => b - a);
  for (const count of counts.filter((some) => some > zone.gutters.length)) {
    const showing = zone.strips.filter(({ gaps }) => gaps.length >= count);
    if (showing.length < Math.max(SHOWING_LEAST, SHOWING_SHARE * zone.strips.length)) continue;
    const gutters = horizontalGaps(
      showing.flatMap(({ pieces }) => pieces),
      leastGap,
    );
    if (gutters.length > zone.gutters.length) return gutters;
  }
  return zone.gutters;
}

/** A zone's rows of cells; each cell is its lines from the top. */
export function tableRows(zone: Zone): TextLine[][][] {
  const starts = rowStarts(zone);
  const rows: Strip[][] = [];
  zone.strips.forEach((strip, index) => {
    if (starts[index] === true || rows.length === 0) rows.push([strip]);
    else rows.at(-1)?.push(strip);
  });
  return rows.map((strips) =>
    splitColumns(
      strips.flatMap(({ pieces }) => pieces),
      zone.gutters,
    ).map(groupIntoLines),
  );
}
