import { unionBounds } from '../geometry.ts';
import type { Piece, TextLine } from './types.ts';
import { joinPieces } from './words.ts';

/** Makes one line of pieces that stand in one row. */
export function toTextLine(pieces: readonly Piece[]): TextLine {
  const sorted = [...pieces].sort((a, b) => a.box[0] - b.box[0]);
  return {
    pieces: sorted,
    text: joinPieces(sorted.map(({ text }) => text)),
    box: unionBounds(sorted.map(({ box }) => box)),
    size: Math.max(...sorted.map(({ size }) => size)),
  };
}

/** How much of the lower of two boxes the other covers vertically, 0-1. */
export function verticalOverlap(a: Piece['box'], b: Piece['box']): number {
  const shared = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return Math.max(0, shared) / Math.max(1, Math.min(a[3] - a[1], b[3] - b[1]));
}

/** Pieces of one column to its lines, from the top: pieces at the same height are one line. */
export function groupIntoLines(pieces: readonly Piece[]): TextLine[] {
  const rows: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => (a.box[1] + a.box[3]) / 2 - (b.box[1] + b.box[3]) / 2)) {
    const row = rows.find((candidates) =>
      candidates.every((other) => verticalOverlap(other.box, piece.box) > 0.5 && !overlapAcross(other, piece)),
    );
    if (row === undefined) rows.push([piece]);
    else row.push(piece);
  }
  return rows.map(toTextLine).sort((a, b) => a.box[1] - b.box[1]);
}

/** Two pieces over one another across the line cannot follow each other in it. */
function overlapAcross(a: Piece, b: Piece): boolean {
  const shared = Math.min(a.box[2], b.box[2]) - Math.max(a.box[0], b.box[0]);
  return shared > 0.5 * Math.min(a.box[2] - a.box[0], b.box[2] - b.box[0]);
}
