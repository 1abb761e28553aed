import { median } from '../geometry.ts';
import { regionsToBlocks } from './blocks.ts';
import { splitFurniture } from './furniture.ts';
import { joinMarkers, toTextLine } from './lines.ts';
import { orderPieces } from './order.ts';
import { cutIntoStrips } from './strips.ts';
import type { DraftBlock, Piece } from './types.ts';

function lineBlock(type: DraftBlock['type'], pieces: readonly Piece[]): DraftBlock[] {
  if (pieces.length === 0) return [];
  const line = toTextLine(pieces);
  return [{ type, lines: [line], text: line.text }];
}

/**
 * Pieces of a page, in the layout frame, to blocks in reading order.
 * `top` and `bottom`: the page's edges in that frame, where running titles and page numbers stand.
 */
export function layoutPage(pieces: readonly Piece[], top: number, bottom: number): DraftBlock[] {
  const level = joinMarkers(pieces.filter(({ sideways }) => !sideways));
  const em = median(level.map(({ size }) => size));
  const { header, footer, body } = splitFurniture(cutIntoStrips(level, em), top, bottom);
  return [
    ...lineBlock('header', header),
    ...regionsToBlocks(orderPieces(body)),
    ...pieces.filter(({ sideways }) => sideways).flatMap((piece) => lineBlock('text', [piece])),
    ...lineBlock('footer', footer),
  ];
}
