import type { Block, PageResult } from '@galley/contract';

/** Blocks in reading order as plain text, an empty line between them. */
export function blocksToText(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n');
}

export function pageToText(page: PageResult): string {
  return blocksToText(page.blocks);
}
