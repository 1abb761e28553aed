import { boundsOf, type Point, type Quad, quadAngle, quadHeight, quadWidth, rotatePoint } from '../geometry.ts';
import { angleBetween } from '../orientation/direction.ts';
import type { TypeMeasure } from '../recognise/type-size.ts';
import type { Piece, PieceGlyph } from './types.ts';

/** A piece of text before it has a place in the layout frame. */
export interface ReadPiece {
  text: string;
  confidence: number;
  quad: Quad;
  /** Where along the quad (0-1) the first character begins and the last one ends, where that is known. */
  extent?: readonly [start: number, end: number];
  /** The characters with their middles along the quad (0-1), where they are known. */
  glyphs?: readonly PieceGlyph[];
  /** Where its type stands across the quad, and how large it is, where that was measured. */
  measure?: TypeMeasure;
  /** Type size in pixels where it is known; else it follows from the quad, which the detector grew. */
  size?: number;
}

/** Of a detected quad's height, this much is ascenders to descenders; the rest is what the detector's growth added. */
const INK_SHARE = 0.68;
/** And so much of its height was added at each end. */
const END_SHARE = 0.16;
/** Of the height of a text layer's boxes, this much is ink. */
const LAYER_INK_SHARE = 0.8;
const SIDEWAYS_DEGREES = 30;
/** Lines that lean less than this, as dy/dx, are level. */
const LEVEL = 0.004;

type Straighten = (point: Point) => Point;

/** Weighted least squares for tilt = a + b·x + c·y, by the normal equations. */
function fitTilt(samples: readonly { x: number; y: number; tilt: number; weight: number }[]): readonly [number, number, number] {
  const m = [0, 0, 0, 0, 0, 0];
  const v = [0, 0, 0];
  for (const { x, y, tilt, weight } of samples) {
    const row = [1, x, y];
    let at = 0;
    for (let i = 0; i < 3; i++) {
      v[i] = (v[i] ?? 0) + weight * (row[i] ?? 0) * tilt;
      for (let j = i; j < 3; j++) m[at] = (m[at++] ?? 0) + weight * (row[i] ?? 0) * (row[j] ?? 0);
    }
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = m;
  const [p = 0, q = 0, r = 0] = v;
  // A little stiffness keeps the slopes at zero where the lines do not tell.
  const [D, F] = [d + 1e-3 * a, f + 1e-3 * a];
  const determinant = a * (D * F - e * e) - b * (b * F - c * e) + c * (b * e - c * D);
  if (Math.abs(determinant) < 1e-12) return [a === 0 ? 0 : p / a, 0, 0];
  return [
    (p * (D * F - e * e) - b * (q * F - r * e) + c * (q * e - r * D)) / determinant,
    (a * (q * F - r * e) - p * (b * F - c * e) + c * (b * r - c * q)) / determinant,
    (a * (D * r - e * q) - b * (b * r - c * q) + p * (b * e - c * D)) / determinant,
  ];
}

/**
 * On a photographed page the lines lean differently from place to place. Their tilt is fitted as a plane over the page, and
 * points are moved up or down so that the lines run level.
 */
function straightening(quads: readonly Quad[]): Straighten {
  const telling = quads.filter((quad) => quadWidth(quad) > 5 * quadHeight(quad));
  if (telling.length < 4) return (point) => point;
  const [x0, y0, x1, y1] = boundsOf(telling.flat());
  const scale = Math.max(x1 - x0, y1 - y0, 1);
  const samples = telling.map((quad) => {
    const [left, right]: Point[] = [
      [(quad[0][0] + quad[3][0]) / 2, (quad[0][1] + quad[3][1]) / 2],
      [(quad[1][0] + quad[2][0]) / 2, (quad[1][1] + quad[2][1]) / 2],
    ];
    const [ax, ay] = left ?? [0, 0];
    const [bx, by] = right ?? [0, 0];
    return { x: ((ax + bx) / 2 - x0) / scale, y: ((ay + by) / 2 - y0) / scale, tilt: (by - ay) / Math.max(bx - ax, 1), weight: bx - ax };
  });
  const [a, b, c] = fitTilt(samples);
  const tiltAt = (x: number, y: number): number => a + b * x + c * y;
  const worst = Math.max(...[0, 1].flatMap((x) => [0, 1].map((y) => Math.abs(tiltAt((x * (x1 - x0)) / scale, (y * (y1 - y0)) / scale)))));
  if (worst < LEVEL) return (point) => point;
  const middle = (x1 - x0) / scale / 2;
  return ([px, py]) => {
    const [x, y] = [(px - x0) / scale, (py - y0) / scale];
    // The line through (x, y) is followed back to the middle of the page.
    const lift = (a + c * y) * (x - middle) + (b * (x * x - middle * middle)) / 2;
    return [px, py - lift * scale];
  };
}

function inkBox(quad: Quad, across: readonly [number, number], extent: readonly [number, number] | null): Piece['box'] {
  const [x0, , x1] = boundsOf(quad);
  const tall = quadHeight(quad);
  const top = (quad[0][1] + quad[1][1] + quad[2][1] + quad[3][1]) / 4 - tall / 2;
  const inset = Math.min(END_SHARE * tall, (x1 - x0) / 4);
  const [from, to] = extent === null ? [x0 + inset, x1 - inset] : [x0 + extent[0] * (x1 - x0), x0 + extent[1] * (x1 - x0)];
  return [from, top + across[0] * tall, to, top + across[1] * tall];
}

/** Rows of a quad that its characters take, as shares of its height. */
function rowsOf(piece: ReadPiece): readonly [number, number] {
  if (piece.measure !== undefined) return [piece.measure.top, piece.measure.bottom];
  const ink = piece.size === undefined ? INK_SHARE : LAYER_INK_SHARE;
  return [(1 - ink) / 2, (1 + ink) / 2];
}

/** Moves pieces to the layout frame, in which lines of the given direction (degrees clockwise on the screen) run level. */
export function toFrame(pieces: readonly ReadPiece[], direction: number): Piece[] {
  const turned = pieces.map((piece) => {
    const turn = (point: Point): Point => rotatePoint(point, -direction);
    const quad: Quad = [turn(piece.quad[0]), turn(piece.quad[1]), turn(piece.quad[2]), turn(piece.quad[3])];
    return { piece, quad, sideways: Math.abs(angleBetween(direction, quadAngle(piece.quad))) > SIDEWAYS_DEGREES };
  });
  const straighten = straightening(turned.filter(({ sideways }) => !sideways).map(({ quad }) => quad));
  return turned.map(({ piece, quad, sideways }) => {
    const level: Quad = [straighten(quad[0]), straighten(quad[1]), straighten(quad[2]), straighten(quad[3])];
    const box = sideways ? boundsOf(quad) : inkBox(level, rowsOf(piece), piece.size === undefined ? (piece.extent ?? null) : [0, 1]);
    const [x0, , x1] = boundsOf(level);
    const glyphs = (piece.glyphs ?? []).map((glyph) => ({ ...glyph, at: x0 + glyph.at * (x1 - x0) }));
    const size = piece.size ?? quadHeight(quad) * (piece.measure?.size ?? INK_SHARE);
    return {
      text: piece.text,
      confidence: piece.confidence,
      quad: piece.quad,
      box,
      size,
      weight: piece.measure?.weight ?? null,
      sideways,
      glyphs,
    };
  });
}
