import type { Point, Quad } from '../geometry.ts';
import { glyphsToText } from '../recognise/spaces.ts';
import { horizontalGaps, type Interval, intersect, type Strip } from './strips.ts';
import type { Piece } from './types.ts';

/** In type sizes: how near the strips must be that show a gutter, and the least room between the characters beside the cut. */
const NEAR = 1.2;
const LEAST_ROOM = 1.1;
/** What a line drawn between two columns is read as. */
const RULE = /^[|lI1!丨]$/u;
/** In type sizes: a line stands apart from the characters on both sides, a letter of that shape does not. */
const RULE_CLEARANCE = 0.45;

function between(from: Point, to: Point, share: number): Point {
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}

/** Whether a character of a piece is a line drawn in the gutter. */
function isRule(piece: Piece, index: number, gutter: Interval): boolean {
  const [before, glyph, after] = [piece.glyphs[index - 1], piece.glyphs[index], piece.glyphs[index + 1]];
  if (glyph === undefined || !RULE.test(glyph.text) || glyph.at <= gutter[0] || glyph.at >= gutter[1]) return false;
  const room = Math.min(glyph.at - (before?.at ?? -Infinity), (after?.at ?? Infinity) - glyph.at);
  return room > RULE_CLEARANCE * piece.size;
}

/** Cuts a piece in two where its characters leave the gutter free; null where they do not. */
export function splitPiece(piece: Piece, gutter: Interval): readonly [Piece, Piece] | null {
  const middle = (gutter[0] + gutter[1]) / 2;
  const glyphs = piece.glyphs.filter((_, index) => !isRule(piece, index, gutter));
  const [left, right] = [glyphs.filter(({ at }) => at < middle), glyphs.filter(({ at }) => at >= middle)];
  const [last, first] = [left.at(-1), right[0]];
  if (last === undefined || first === undefined || first.at - last.at < LEAST_ROOM * piece.size) return null;
  const cut = (last.at + first.at) / 2;
  const [x0, y0, x1, y1] = piece.box;
  const share = Math.min(1, Math.max(0, (cut - x0) / Math.max(1, x1 - x0)));
  const [above, below] = [between(piece.quad[0], piece.quad[1], share), between(piece.quad[3], piece.quad[2], share)];
  const half = Math.min((first.at - last.at) / 2, 0.35 * piece.size);
  const leftQuad: Quad = [piece.quad[0], above, below, piece.quad[3]];
  const rightQuad: Quad = [above, piece.quad[1], piece.quad[2], below];
  return [
    { ...piece, text: glyphsToText(left), glyphs: left, quad: leftQuad, box: [x0, y0, last.at + half, y1] },
    { ...piece, text: glyphsToText(right), glyphs: right, quad: rightQuad, box: [first.at - half, y0, x1, y1] },
  ];
}

function splitStrip(strip: Strip, gutters: readonly Interval[], leastGap: number): Strip {
  let pieces = strip.pieces;
  for (const gutter of gutters) {
    pieces = pieces.flatMap((piece) => {
      const crosses = piece.box[0] < gutter[0] - piece.size && piece.box[2] > gutter[1] + piece.size;
      return (crosses ? splitPiece(piece, gutter) : null) ?? [piece];
    });
  }
  return pieces.length === strip.pieces.length ? strip : { ...strip, pieces, gaps: horizontalGaps(pieces, leastGap) };
}

/**
 * The detector sometimes takes two columns' lines for one line. Where the strips above and below both leave a gutter free,
 * such a line is cut in it, if its own characters leave room there.
 */
export function splitAcrossGutters(strips: readonly Strip[], em: number, leastGap: number): Strip[] {
  const near = (a: Strip | undefined, b: Strip): a is Strip =>
    a !== undefined && Math.max(a.box[1] - b.box[3], b.box[1] - a.box[3]) < NEAR * em && a.gaps.length > 0;
  const result: Strip[] = [];
  strips.forEach((strip, index) => {
    // The strip above is taken as already cut, so that several such lines in a row are cut one after the other.
    const [above, below, further] = [result[index - 1], strips[index + 1], strips[index + 2]];
    const shown = [near(above, strip) ? above : null, near(below, strip) ? below : near(further, strip) ? further : null].filter(
      (other) => other !== null,
    );
    const [first, second] = shown;
    const gutters =
      first === undefined
        ? []
        : second === undefined
          ? shown.length === 1
            ? first.gaps
            : []
          : intersect(first.gaps, second.gaps, leastGap);
    result.push(splitStrip(strip, gutters, leastGap));
  });
  return result;
}
