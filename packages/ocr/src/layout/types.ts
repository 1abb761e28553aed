import type { BlockType } from '@galley/contract';
import type { Bounds, Quad } from '../geometry.ts';

/** A piece of text as it was read: the detector's box, or a run of a PDF's text layer. */
export interface Piece {
  text: string;
  /** 0-1. */
  confidence: number;
  /** Corners in pixels of the page as displayed. */
  quad: Quad;
  /** Upright bounds in the layout frame: the page turned so that its lines run level. */
  box: Bounds;
  /** Height of the type in pixels, ascenders and descenders included. */
  size: number;
}

/** One printed line of one column: pieces from left to right. */
export interface TextLine {
  pieces: Piece[];
  text: string;
  box: Bounds;
  size: number;
}

/** A block in the layout frame, before it is given its number. */
export interface DraftBlock {
  type: BlockType;
  lines: TextLine[];
  rows?: string[][];
  text: string;
}
