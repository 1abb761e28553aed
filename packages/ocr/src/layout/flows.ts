import { median } from '../geometry.ts';
import { type Column, columnPieces, columnsOf, isProse, readsInRows } from './columns.ts';
import type { Piece, TextLine } from './types.ts';
import type { Zone } from './zones.ts';

/** In type sizes: how far a column's next line may be below, and how near their edges must be. */
const LINK_GAP = 1.1;
const LINK_EDGE = 1.0;

/** Columns that go on over several zones, such as text that runs around a picture or a pull quote. */
export interface Flow {
  streams: Piece[][];
  /** Columns between the streams that none of them runs through: captions, pull quotes. */
  floats: Piece[][];
}

function links(above: TextLine | undefined, below: TextLine | undefined): boolean {
  if (above === undefined || below === undefined) return false;
  const em = Math.max(above.size, below.size);
  const near = below.box[1] - above.box[3] < LINK_GAP * em && Math.max(above.size, below.size) < 1.3 * Math.min(above.size, below.size);
  const edges = Math.min(Math.abs(above.box[0] - below.box[0]), Math.abs(above.box[2] - below.box[2])) < LINK_EDGE * em;
  return near && edges;
}

interface Stream {
  column: Column;
  lines: TextLine[];
}

/** Pairs each stream with the column of the next zone that continues it, the leftmost first. */
function pair(streams: readonly Stream[], columns: readonly Column[]): Map<Stream, Column> {
  const pairs = new Map<Stream, Column>();
  for (const stream of streams) {
    const next = columns.find((column) => ![...pairs.values()].includes(column) && links(stream.lines.at(-1), column.lines[0]));
    if (next !== undefined) pairs.set(stream, next);
  }
  return pairs;
}

/**
 * Takes zones from `start` on as one flow as long as at least two columns of running text go on from one to the next.
 * Answers null where the first zone is no such beginning, else the flow and how many zones it took.
 */
export function takeFlow(zones: readonly Zone[], start: number): { flow: Flow; taken: number } | null {
  const first = zones[start];
  if (first === undefined || first.gutters.length === 0) return null;
  const columns = columnsOf(first);
  const streams: Stream[] = columns.map((column) => ({ column, lines: [...column.lines] }));
  const floats: Piece[][] = [];
  let anyProse = !readsInRows(first) && columns.filter(isProse).length >= 2;
  let taken = 1;
  for (let at = start + 1; at < zones.length; at++) {
    const zone = zones[at];
    if (zone === undefined || zone.gutters.length === 0) break;
    const next = columnsOf(zone);
    const pairs = pair(streams, next);
    const prose = anyProse || next.filter(isProse).length >= 2;
    if (pairs.size < 2 || !prose) break;
    anyProse = true;
    for (const [stream, column] of pairs) stream.lines.push(...column.lines);
    const continued = new Set(pairs.values());
    floats.push(...next.filter((column) => !continued.has(column)).map(columnPieces));
    taken++;
  }
  if (!anyProse || taken === 1) return null;
  const long = median(streams.map(({ lines }) => lines.length)) / 3;
  const main = streams.filter(({ lines }) => lines.length >= long);
  floats.unshift(...streams.filter((stream) => !main.includes(stream)).map(({ column }) => columnPieces(column)));
  return { flow: { streams: main.map(({ lines }) => lines.flatMap(({ pieces }) => pieces)), floats }, taken };
}
