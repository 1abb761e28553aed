import type { Block, Box } from '@galley/contract';
import { blocksToMarkdown } from '../export/markdown.ts';
import { type MarkdownPiece, readMarkdown } from './markdown-blocks.ts';
import type { LayoutRegion } from './parse-service.ts';

const NO_PLACE: Box = [0, 0, 0, 0];
const SCALE = 1_000;

export interface ReadBlocks {
  readonly blocks: Block[];
  readonly markdown: string;
}

/** The region's box in pixels of the page, or no place where it is none. */
function boxOf(region: LayoutRegion, width: number, height: number): Box {
  if (region.box === null) return NO_PLACE;
  const [left, top, right, bottom] = region.box;
  const at = (value: number, size: number): number => Math.min(size, Math.max(0, (value / SCALE) * size));
  const box: Box = [
    Math.floor(at(Math.min(left, right), width)),
    Math.floor(at(Math.min(top, bottom), height)),
    Math.ceil(at(Math.max(left, right), width)),
    Math.ceil(at(Math.max(top, bottom), height)),
  ];
  return box.every(Number.isFinite) ? box : NO_PLACE;
}

/** Text that a page shows must not become markup of whoever displays the Markdown. */
function withoutTags(source: string): string {
  return source.replace(/<(?=\/?[a-z][^<>]*>)/gi, '\\<');
}

function markdownOf(piece: MarkdownPiece, block: Block): string {
  // HTML and ragged tables become the one form that Galley writes.
  return piece.type === 'table' && (piece.rows?.length ?? 0) > 0 ? blocksToMarkdown([block]) : withoutTags(piece.source);
}

interface PlacedPiece {
  readonly piece: MarkdownPiece;
  readonly box: Box;
}

/** A region with a place is one block; one without is the whole page, and its Markdown tells the blocks. */
function piecesOf(region: LayoutRegion, width: number, height: number): PlacedPiece[] {
  const pieces = readMarkdown(region.content);
  const box = boxOf(region, width, height);
  if (region.type === 'figure' && pieces.length === 0) return [{ piece: { type: 'figure', text: '', source: '' }, box }];
  const [first] = pieces;
  if (first === undefined) return [];
  if (region.box === null) return pieces.map((piece) => ({ piece, box }));
  const only = pieces.length === 1 ? first : null;
  const type = region.type ?? only?.type ?? 'text';
  const joined: MarkdownPiece = {
    // A table that could not be read as one is text.
    type: type === 'table' && only?.rows === undefined ? 'text' : type,
    text: pieces.map(({ text }) => text).join('\n'),
    source: type === 'title' && !/^\s*#/.test(first.source) ? `## ${first.text.replace(/\n/g, ' ')}` : region.content.trim(),
    ...(only?.rows === undefined ? {} : { rows: only.rows }),
  };
  return [{ piece: joined, box }];
}

/** What the engine read, as blocks of the page's result and as its Markdown. `width`, `height`: of the page in pixels. */
export function toBlocks(regions: readonly LayoutRegion[], width: number, height: number): ReadBlocks {
  const placed = regions.flatMap((region) => piecesOf(region, width, height));
  const blocks = placed.map(({ piece, box }, index): Block => {
    const { type, text, rows } = piece;
    return { id: index + 1, type, bbox: box, text, lines: [], ...(rows === undefined ? {} : { rows }) };
  });
  const markdown = placed
    .flatMap(({ piece }, index) => {
      const block = blocks[index];
      return block === undefined ? [] : [markdownOf(piece, block)];
    })
    .filter((part) => part !== '')
    .join('\n\n');
  return { blocks, markdown };
}
