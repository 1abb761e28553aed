import type { Piece } from '../layout/types.ts';

/** Type size of fixture pieces, in pixels. */
export const SIZE = 20;
const LEADING = 26;
const LETTER = 9;

export interface PieceShape {
  x: number;
  /** The top of the type. */
  y: number;
  text: string;
  size?: number;
  weight?: number;
  /** Where a justified line ends; by default as long as its letters make it. */
  right?: number;
}

/** A piece of level text, its characters evenly spread over it. */
export function piece({ x, y, text, size = SIZE, weight = 0.1, right }: PieceShape): Piece {
  const end = right ?? x + (text.length * LETTER * size) / SIZE;
  const box: Piece['box'] = [x, y, end, y + size * 0.93];
  const step = (end - x) / text.length;
  const glyphs = [...text].flatMap((character, index) =>
    character === ' ' ? [] : [{ text: character, space: index > 0 && text[index - 1] === ' ', at: x + (index + 0.5) * step }],
  );
  return {
    text,
    confidence: 1,
    quad: [
      [box[0], box[1]],
      [box[2], box[1]],
      [box[2], box[3]],
      [box[0], box[3]],
    ],
    box,
    size,
    weight,
    sideways: false,
    glyphs,
  };
}

/** Lines of running text one below the other, each as wide as the column. */
export function column(x: number, y: number, width: number, lines: readonly string[], leading: number = LEADING): Piece[] {
  return lines.map((text, index) => piece({ x, y: y + index * leading, text, right: x + width }));
}

/** So many lines that begin with a name and a number, long enough to be taken for running text. */
export function proseLines(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index + 1} and the words that fill a line of it`);
}
