import { type Bounds, median, quantile, unionBounds } from '../geometry.ts';
import { groupIntoLines } from './lines.ts';
import { middleY, type Piece, type TextLine, width } from './types.ts';
import { isIdeographic } from './words.ts';
import { piecesOf, splitColumns, type Zone } from './zones.ts';

/** Running text has lines of so many letters (a Chinese character counts for two) that mostly fill their column. */
const PROSE_LETTERS = 17;
const PROSE_FILL = 0.66;
const PROSE_LINES = 3;
/** Lines of two columns stand in one row when their middles differ by less than this many type sizes. */
const ROW_TOLERANCE = 0.25;
const ALIGNED_SHARE = 0.65;

/** A column of a zone. */
export interface Column {
  lines: TextLine[];
  box: Bounds;
}

export function columnsOf(zone: Zone): Column[] {
  return splitColumns(piecesOf(zone), zone.gutters)
    .filter((pieces) => pieces.length > 0)
    .map((pieces) => ({ lines: groupIntoLines(pieces), box: unionBounds(pieces.map(({ box }) => box)) }));
}

function letters(text: string): number {
  return [...text].reduce((sum, character) => sum + (isIdeographic(character) ? 2 : 1), 0);
}

export function isProse(column: Column): boolean {
  const { lines, box } = column;
  if (lines.length < PROSE_LINES) return false;
  const fill = median(lines.map((line) => width(line.box) / Math.max(1, width(box))));
  return fill >= PROSE_FILL && median(lines.map(({ text }) => letters(text))) >= PROSE_LETTERS;
}

/** The share of lines that have a line of another column in their row. */
function alignedShare(columns: readonly Column[]): number {
  let [aligned, total] = [0, 0];
  columns.forEach((column, at) => {
    const others = columns.flatMap(({ lines }, index) => (index === at ? [] : lines));
    for (const line of column.lines) {
      total++;
      const tolerance = ROW_TOLERANCE * line.size;
      if (others.some((other) => Math.abs(middleY(other.box) - middleY(line.box)) < tolerance)) aligned++;
    }
  });
  return total === 0 ? 0 : aligned / total;
}

/** Where a column pauses: the middles of gaps that are clearly larger than from line to line. */
function pausesOf(column: Column): number[] {
  const gaps = column.lines.slice(1).map((line, index) => line.box[1] - (column.lines[index]?.box[3] ?? line.box[1]));
  const usual = quantile(gaps, 0.3);
  const em = median(column.lines.map(({ size }) => size));
  return gaps.flatMap((gap, index) => {
    const above = column.lines[index];
    return gap > usual + 0.35 * em && above !== undefined ? [above.box[3] + gap / 2] : [];
  });
}

/** Whether the columns all pause at the same heights, several times: rows of a table whose cells have several lines. */
function pauseTogether(columns: readonly Column[]): boolean {
  const pauses = columns.map(pausesOf);
  const [first = []] = [...pauses].sort((a, b) => b.length - a.length);
  const em = median(columns.flatMap(({ lines }) => lines.map(({ size }) => size)));
  const common = first.filter((at) => pauses.every((other) => other.some((place) => Math.abs(place - at) < 0.8 * em)));
  return common.length >= 3 && common.length >= 0.7 * first.length;
}

/** Whether a zone of several columns is read row by row (a table, a form, a receipt) rather than column by column. */
export function readsInRows(zone: Zone): boolean {
  const columns = columnsOf(zone);
  const proseCount = columns.filter(isProse).length;
  if (proseCount === columns.length || (proseCount >= 2 && proseCount >= columns.length - 1 && columns.length <= 3))
    return pauseTogether(columns.filter(isProse));
  return alignedShare(columns) >= ALIGNED_SHARE;
}

export function columnPieces(column: Column): Piece[] {
  return column.lines.flatMap(({ pieces }) => pieces);
}
