import { unionBounds } from '../geometry.ts';
import { height, middleY, type Piece, type TextLine, width } from './types.ts';
import { joinPieces } from './words.ts';

/** Makes one line of pieces that stand in one row. */
export function toTextLine(pieces: readonly Piece[]): TextLine {
  const sorted = [...pieces].sort((a, b) => a.box[0] - b.box[0]);
  return {
    pieces: sorted,
    text: joinPieces(sorted.map(({ text }) => text)),
    box: unionBounds(sorted.map(({ box }) => box)),
    size: Math.max(...sorted.map(({ size }) => size)),
    weight: [...sorted].sort((a, b) => b.text.length - a.text.length)[0]?.weight ?? null,
  };
}

/** How much of the lower of two boxes the other covers vertically, 0-1. */
export function verticalOverlap(a: Piece['box'], b: Piece['box']): number {
  const shared = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return Math.max(0, shared) / Math.max(1e-6, Math.min(height(a), height(b)));
}

/** How much of the narrower of two boxes the other covers horizontally, 0-1. */
export function horizontalOverlap(a: Piece['box'], b: Piece['box']): number {
  const shared = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  return Math.max(0, shared) / Math.max(1e-6, Math.min(width(a), width(b)));
}

/** Pieces of one column to its lines, from the top: pieces at the same height that do not cover each other are one line. */
export function groupIntoLines(pieces: readonly Piece[]): TextLine[] {
  const rows: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => middleY(a.box) - middleY(b.box))) {
    const row = rows.find((candidates) =>
      candidates.every((other) => verticalOverlap(other.box, piece.box) > 0.5 && horizontalOverlap(other.box, piece.box) < 0.5),
    );
    if (row === undefined) rows.push([piece]);
    else row.push(piece);
  }
  return rows.map(toTextLine).sort((a, b) => middleY(a.box) - middleY(b.box));
}

const MARKER = /^(?:[•·●○▪■□◦‣∙*–—-]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)])$/u;

/** A list's marker stands apart from its text, but is no column of its own. */
export function joinMarkers(pieces: readonly Piece[]): Piece[] {
  const joined = new Set<Piece>();
  const result: Piece[] = [];
  for (const marker of pieces.filter(({ text }) => MARKER.test(text))) {
    const text = pieces
      .filter(
        (other) => other !== marker && other.box[0] >= marker.box[2] - 0.3 * marker.size && verticalOverlap(other.box, marker.box) > 0.5,
      )
      .sort((a, b) => a.box[0] - b.box[0])[0];
    if (text === undefined || joined.has(text) || text.box[0] - marker.box[2] > 3 * text.size || MARKER.test(text.text)) continue;
    joined.add(marker).add(text);
    const line = toTextLine([marker, text]);
    result.push({
      text: `${marker.text} ${text.text}`,
      confidence: text.confidence,
      quad: [marker.quad[0], text.quad[1], text.quad[2], marker.quad[3]],
      box: line.box,
      size: text.size,
      weight: text.weight,
      sideways: false,
      glyphs: [...marker.glyphs, ...text.glyphs.map((glyph, index) => (index === 0 ? { ...glyph, space: true } : glyph))],
    });
  }
  return [...pieces.filter((piece) => !joined.has(piece)), ...result];
}
