import type { Block } from '@galley/contract';

/** Characters at a line's start, or anywhere, that Markdown would take for markup. */
function escapeText(text: string): string {
  return text
    .replace(/([\\`*_[\]<>|])/g, '\\$1')
    .replace(/^(\s*)([-+#])(?=\s)/gm, '$1\\$2')
    .replace(/^(\s*\d+)([.)])(?=\s)/gm, '$1\\$2');
}

function tableToMarkdown(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, index) => escapeText(cells[index] ?? '').replace(/\n/g, '<br>')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${' --- |'.repeat(columns)}`, ...body.map(line)].join('\n');
}

function listToMarkdown(text: string): string {
  return text
    .split('\n')
    .map((item) => (/^\s*\d+[.)]\s/.test(item) ? item : `- ${escapeText(item)}`))
    .join('\n');
}

function blockToMarkdown(block: Block): string {
  switch (block.type) {
    case 'title':
      return `## ${escapeText(block.text.replace(/\n/g, ' '))}`;
    case 'list':
      return listToMarkdown(block.text);
    case 'table':
      return block.rows === undefined || block.rows.length === 0 ? escapeText(block.text) : tableToMarkdown(block.rows);
    case 'text':
    case 'figure':
    case 'header':
    case 'footer':
      // Two spaces keep a line break within a paragraph.
      return escapeText(block.text).replace(/\n/g, '  \n');
  }
}

/** Blocks in reading order as Markdown: titles, lists and tables as such, all else as paragraphs. */
export function blocksToMarkdown(blocks: readonly Block[]): string {
  return blocks
    .map(blockToMarkdown)
    .filter((text) => text !== '')
    .join('\n\n');
}
