import { groupIntoLines } from './lines.ts';
import type { DraftBlock, Piece, TextLine } from './types.ts';
import { joinLines } from './words.ts';

/** Lines further apart than this many type sizes are of different blocks. */
const PARAGRAPH_GAP = 0.9;

function toBlock(lines: TextLine[]): DraftBlock {
  return { type: 'text', lines, text: joinLines(lines.map(({ text }) => text)) };
}

/** Pieces of a page, in the layout frame, to blocks in reading order. */
export function layoutPage(pieces: readonly Piece[]): DraftBlock[] {
  const blocks: TextLine[][] = [];
  for (const line of groupIntoLines(pieces)) {
    const block = blocks.at(-1);
    const previous = block?.at(-1);
    if (block !== undefined && previous !== undefined && line.box[1] - previous.box[3] < PARAGRAPH_GAP * line.size) block.push(line);
    else blocks.push([line]);
  }
  return blocks.map(toBlock);
}
