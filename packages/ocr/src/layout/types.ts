import type { BlockType } from '@galley/contract';
import type { Bounds, Quad } from '../geometry.ts';

/** A character of a piece that is no white space. */
export interface PieceGlyph {
  text: string;
  /** White space stands before it. */
  space: boolean;
  /** Its middle along the line. */
  at: number;
}

/** A piece of text as it was read: the detector's box, or a run of a PDF's text layer. */
export interface Piece {
  text: string;
  /** 0-1. */
  confidence: number;
  /** Corners in pixels of the page as displayed. */
  quad: Quad;
  /**
   * Bounds of the characters in the layout frame: the page turned so that its lines run level, and straightened where it
   * was photographed askew.
   */
  box: Bounds;
  /** Type size (em) in pixels. */
  size: number;
  /** Thickness of strokes in type sizes; null where it is not known. */
  weight: number | null;
  /** Stands across the page's direction, such as a label on a spine; takes no part in columns and rows. */
  sideways: boolean;
  /** Its characters, in pixels of the layout frame; empty where they are not known one by one. */
  glyphs: readonly PieceGlyph[];
}

/** One printed line of one column: pieces from left to right. */
export interface TextLine {
  pieces: Piece[];
  text: string;
  box: Bounds;
  size: number;
  /** Of its longest piece. */
  weight: number | null;
}

/** A block in the layout frame, before it is given its number. */
export interface DraftBlock {
  type: BlockType;
  lines: TextLine[];
  rows?: string[][];
  text: string;
}

/** A part of the page in reading order, before its lines become blocks. */
export type Region =
  /** Lines of one column, from the top. */
  | { kind: 'flow'; lines: TextLine[] }
  /** Rows of cells; a cell is its lines, and may have none. */
  | { kind: 'table'; rows: TextLine[][][] };

export const width = (box: Bounds): number => box[2] - box[0];
export const height = (box: Bounds): number => box[3] - box[1];
export const middleY = (box: Bounds): number => (box[1] + box[3]) / 2;
