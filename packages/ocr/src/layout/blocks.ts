import { median, quantile, weightedMedian } from '../geometry.ts';
import type { DraftBlock, Region, TextLine } from './types.ts';
import { joinLines } from './words.ts';

/** All in type sizes. */
const BLOCK_GAP = 0.45;
const INDENT = 0.8;
const SHORT_END = 2.5;
const TITLE_SIZE = 1.18;
const OTHER_SIZE = 1.22;
/** Strokes this much thicker than usual are bold. */
const BOLD = 1.2;

const ITEM = /^\s*(?:[•·●○▪■□◦‣∙]|[-–—*]\s|\(?\d{1,2}[.)]\s|\(?[a-z][.)]\s)/u;
/** A mark that only says that an item begins; numbers and letters say which. */
const BULLET = /^\s*[•·●○▪■□◦‣∙*–—-]\s*/u;
const SENTENCE_END = /[.!?。！？:：;；…"”»)）]$/u;

/** The distance from line to line that is usual in a column, as white between them. */
function usualGap(lines: readonly TextLine[], em: number): number {
  const gaps = lines.slice(1).map((line, index) => line.box[1] - (lines[index]?.box[3] ?? 0));
  const close = gaps.filter((gap) => gap < 1.2 * em);
  // Gaps between paragraphs are among them: the narrower ones are those within.
  return close.length === 0 ? 0.3 * em : quantile(close, 0.3);
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

/** What is usual on the page. */
interface Usual {
  size: number;
  /** Thickness of strokes in type sizes, null where it is not known. */
  weight: number | null;
}

function isBold(line: TextLine, usual: Usual): boolean {
  return line.weight !== null && usual.weight !== null && line.weight > BOLD * usual.weight && line.text.length >= 3;
}

function splitFlow(lines: readonly TextLine[], page: Usual): TextLine[][] {
  const em = median(lines.map(({ size }) => size));
  const usual = usualGap(lines, em);
  const left = Math.min(...lines.map(({ box }) => box[0]));
  const right = Math.max(...lines.map(({ box }) => box[2]));
  const blocks: TextLine[][] = [];
  for (const line of lines) {
    const above = blocks.at(-1)?.at(-1);
    if (
      above === undefined ||
      isBold(above, page) !== isBold(line, page) ||
      beginsBlock(above, line, line.box[1] - above.box[3], usual, left, right)
    )
      blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks;
}

/** A heading: larger type, or bold type in a short line by itself. */
function isTitle(lines: readonly TextLine[], text: string, usual: Usual): boolean {
  if (lines.length > 3 || text.length > 160 || !/\p{L}/u.test(text)) return false;
  if (median(lines.map(({ size }) => size)) > TITLE_SIZE * usual.size) return true;
  return lines.length <= 2 && text.length <= 90 && lines.every((line) => isBold(line, usual)) && !/[.,;。，；]$/u.test(text);
}

function flowBlock(lines: TextLine[], usual: Usual): DraftBlock {
  const text = joinLines(lines.map((line) => line.text));
  if (isTitle(lines, text, usual)) return { type: 'title', lines, text };
  return ITEM.test(text) ? { type: 'list', lines, text: text.replace(BULLET, '') } : { type: 'text', lines, text };
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

/** The middle value over the page's letters. */
function usualOf(lines: readonly TextLine[], value: (line: TextLine) => number | null): number | null {
  const weighted = lines.flatMap((line): [number, number][] => {
    const known = value(line);
    return known === null ? [] : [[known, line.text.length]];
  });
  return weighted.length === 0 ? null : weightedMedian(weighted);
}

/** Regions in reading order to blocks. */
export function regionsToBlocks(regions: readonly Region[]): DraftBlock[] {
  const all = regions.flatMap((region) => (region.kind === 'flow' ? region.lines : region.rows.flat(2)));
  const usual: Usual = { size: usualOf(all, ({ size }) => size) ?? 0, weight: usualOf(all, ({ weight }) => weight) };
  const blocks = regions.flatMap((region) =>
    region.kind === 'table' ? [tableBlock(region.rows)] : splitFlow(region.lines, usual).map((lines) => flowBlock(lines, usual)),
  );
  return mergeLists(blocks);
}
