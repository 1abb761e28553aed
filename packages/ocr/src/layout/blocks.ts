import { median } from '../geometry.ts';
import type { DraftBlock, Region, TextLine } from './types.ts';
import { joinLines } from './words.ts';

/** All in type sizes. */
const BLOCK_GAP = 0.45;
const INDENT = 0.8;
const SHORT_END = 2.5;
const TITLE_SIZE = 1.18;
const OTHER_SIZE = 1.22;

const ITEM = /^\s*(?:[•·●○▪■□◦‣∙]|[-–—*]\s|\(?\d{1,2}[.)]\s|\(?[a-z][.)]\s)/u;
const SENTENCE_END = /[.!?。！？:：;；…"”»)）]$/u;

/** The distance from line to line that is usual in a column, as white between them. */
function usualGap(lines: readonly TextLine[], em: number): number {
  const gaps = lines.slice(1).map((line, index) => line.box[1] - (lines[index]?.box[3] ?? 0));
  const close = gaps.filter((gap) => gap < 1.2 * em);
  return close.length === 0 ? 0.3 * em : median(close);
}

/** Whether a line begins a new block after the one above it. */
function beginsBlock(above: TextLine, line: TextLine, gap: number, usual: number, left: number, right: number): boolean {
  const em = Math.max(above.size, line.size);
  if (gap > usual + BLOCK_GAP * em) return true;
  if (em > OTHER_SIZE * Math.min(above.size, line.size)) return true;
  if (ITEM.test(line.text)) return true;
  const indented = line.box[0] - left > INDENT * em && above.box[0] - left < INDENT * em;
  if (indented && (above.box[2] < right - em || SENTENCE_END.test(above.text))) return true;
  return above.box[2] < right - SHORT_END * em && SENTENCE_END.test(above.text) && line.box[2] > above.box[2] + em;
}

function splitFlow(lines: readonly TextLine[]): TextLine[][] {
  const em = median(lines.map(({ size }) => size));
  const usual = usualGap(lines, em);
  const left = Math.min(...lines.map(({ box }) => box[0]));
  const right = Math.max(...lines.map(({ box }) => box[2]));
  const blocks: TextLine[][] = [];
  for (const line of lines) {
    const above = blocks.at(-1)?.at(-1);
    if (above === undefined || beginsBlock(above, line, line.box[1] - above.box[3], usual, left, right)) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks;
}

function flowBlock(lines: TextLine[], bodySize: number): DraftBlock {
  const text = joinLines(lines.map((line) => line.text));
  if (lines.every((line, index) => index > 0 || ITEM.test(line.text)) && ITEM.test(text)) return { type: 'list', lines, text };
  const large = median(lines.map(({ size }) => size)) > TITLE_SIZE * bodySize;
  return { type: large && lines.length <= 3 && text.length < 160 ? 'title' : 'text', lines, text };
}

const cellText = (lines: readonly TextLine[]): string => joinLines(lines.map(({ text }) => text));

function tableBlock(rows: TextLine[][][]): DraftBlock {
  const texts = rows.map((cells) => cells.map(cellText));
  const text = texts.map((cells) => cells.filter((cell) => cell !== '').join('\t')).join('\n');
  const lines = rows.flatMap((cells) => cells.flat());
  // One row alone is no table: a running title, or a name and its value.
  return rows.length < 2 ? { type: 'text', lines, text } : { type: 'table', lines, rows: texts, text };
}

/** Neighbouring items of a list are one block, an item a line. */
function mergeLists(blocks: readonly DraftBlock[]): DraftBlock[] {
  const merged: DraftBlock[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    if (block.type === 'list' && last?.type === 'list') {
      last.lines.push(...block.lines);
      last.text += `\n${block.text}`;
    } else merged.push({ ...block, lines: [...block.lines] });
  }
  return merged;
}

/** Regions in reading order to blocks. */
export function regionsToBlocks(regions: readonly Region[]): DraftBlock[] {
  const sizes = regions.flatMap((region) => (region.kind === 'flow' ? region.lines : region.rows.flat(2)).map(({ size }) => size));
  const bodySize = median(sizes);
  const blocks = regions.flatMap((region) =>
    region.kind === 'table' ? [tableBlock(region.rows)] : splitFlow(region.lines).map((lines) => flowBlock(lines, bodySize)),
  );
  return mergeLists(blocks);
}
