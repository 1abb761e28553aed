import { median, quantile, weightedMedian } from '../geometry.ts';
import type { DraftBlock, Region, TextLine } from './types.ts';
import { BROKEN_WORD, isIdeographic, joinLines } from './words.ts';

/** All in type sizes. */
const BLOCK_GAP = 0.45;
const INDENT = 0.8;
const SHORT_END = 2.5;
const TITLE_SIZE = 1.18;
const OTHER_SIZE = 1.22;
/** Strokes this much thicker than usual, for the size of the type, are bold. */
const BOLD = 1.2;
/**
 * Type that is larger or bold has thicker strokes in pixels too. The measured size of one line may be far off, the strokes seldom are: where
 * they are no thicker the line is in ordinary type.
 */
const THICKER = 1.08;
/** Room at a line's end beside the next line's first word that says that its paragraph ends there. */
const SLACK_ROOM = 0.6;
/** White above a line that speaks for a new paragraph, though it does not make one by itself. */
const SOME_GAP = 0.2;
/** A lone short line in type at least so large, with strokes so much thicker, heads what follows it. */
const STRONG_SIZE = 1.04;
const STRONG_STROKE = 1.12;
const SHORT_LINE = 0.6;
/** Lines of so many letters that fill their column go on below whatever their strokes say. */
const FULL_LINE_LETTERS = 20;
/** Two or three lines may be a paragraph each: their own distance is no measure past this. */
const FEW_GAPS = 3;
const MOST_FEW_GAP = 0.5;

const ITEM = /^\s*(?:[•·●○▪■□◦‣∙]|[-–—*]\s|\(?\d{1,2}[.)]\s|\(?[a-z][.)]\s)/u;
/** A mark that only says that an item begins; numbers and letters say which. */
const BULLET = /^\s*[•·●○▪■□◦‣∙*–—-]\s*/u;
const SENTENCE_END = /[.!?。！？:：;；…"”»)）]$/u;

/** The distance from line to line that is usual in a column, as white between them. */
function usualGap(lines: readonly TextLine[], em: number): number {
  const gaps = lines.slice(1).map((line, index) => line.box[1] - (lines[index]?.box[3] ?? 0));
  const close = gaps.filter((gap) => gap < 1.2 * em);
  // Gaps between paragraphs are among them: the narrower ones are those within.
  if (close.length === 0) return 0.3 * em;
  return close.length < FEW_GAPS ? Math.min(quantile(close, 0.3), MOST_FEW_GAP * em) : quantile(close, 0.3);
}

/** Thickness of a line's strokes in pixels, null where it is not known. */
function strokeOf({ weight, size }: TextLine): number | null {
  return weight === null ? null : weight * size;
}

/** Whether one line's strokes are no thicker than another's, though its type was measured larger. */
function hasSameStroke(larger: TextLine, other: TextLine): boolean {
  const [thick, thin] = [strokeOf(larger), strokeOf(other)];
  return thick !== null && thin !== null && thick < THICKER * thin;
}

/** Whether two lines differ in type size. */
function differInSize(a: TextLine, b: TextLine): boolean {
  const [larger, smaller] = a.size > b.size ? [a, b] : [b, a];
  return larger.size > OTHER_SIZE * smaller.size && !hasSameStroke(larger, smaller);
}

/** The width of a line's first word, by its share of the line's letters; of a line without spaces: of one character. */
function firstWordWidth({ text, box }: TextLine): number {
  const first = text.split(' ')[0] ?? text;
  const characters = [...first];
  const letters = characters.some(isIdeographic) ? 1 : characters.length;
  return ((box[2] - box[0]) * letters) / Math.max(1, [...text].length);
}

/**
 * Whether a line ended before its column did, though the next line's first word had room there: the end of a paragraph, where it ends a
 * sentence or some white follows. Ragged lines, and lines round a picture, end early for other reasons.
 */
function endedEarly(above: TextLine, line: TextLine, hasSomeGap: boolean, left: number, right: number): boolean {
  const em = Math.max(above.size, line.size);
  const startsAlike = Math.abs(line.box[0] - above.box[0]) < INDENT * em || line.box[0] - left < INDENT * em;
  if (!startsAlike || BROKEN_WORD.test(above.text)) return false;
  return (hasSomeGap || SENTENCE_END.test(above.text)) && right - above.box[2] > firstWordWidth(line) + SLACK_ROOM * em;
}

/** Whether a line begins a new block after the one above it. */
function beginsBlock(above: TextLine, line: TextLine, gap: number, usual: number, left: number, right: number): boolean {
  const em = Math.max(above.size, line.size);
  if (gap > usual + BLOCK_GAP * em) return true;
  if (differInSize(above, line)) return true;
  if (ITEM.test(line.text)) return true;
  const indented = line.box[0] - left > INDENT * em && above.box[0] - left < INDENT * em;
  if (indented && (above.box[2] < right - em || SENTENCE_END.test(above.text))) return true;
  if (endedEarly(above, line, gap > usual + SOME_GAP * em, left, right)) return true;
  return above.box[2] < right - SHORT_END * em && SENTENCE_END.test(above.text) && line.box[2] > above.box[2] + em;
}

/** What is usual on the page. */
interface Usual {
  size: number;
  /** Thickness of strokes in type sizes, null where it is not known. */
  weight: number | null;
  /** And in pixels. */
  stroke: number | null;
}

/** Whether a line's strokes are thicker in pixels than is usual, as larger and bold type has them; true where they are not known. */
function hasThickStrokes(line: TextLine, usual: Usual): boolean {
  const stroke = strokeOf(line);
  return stroke === null || usual.stroke === null || stroke > THICKER * usual.stroke;
}

function isBold(line: TextLine, usual: Usual): boolean {
  const { weight } = line;
  return weight !== null && usual.weight !== null && weight > BOLD * usual.weight && hasThickStrokes(line, usual) && line.text.length >= 3;
}

/** Whether a line that fills its column breaks off in the middle of a sentence and goes on close below. */
function runsOn(above: TextLine, gap: number, usual: number, right: number): boolean {
  const full = right - above.box[2] < above.size && [...above.text].length >= FULL_LINE_LETTERS;
  return full && !SENTENCE_END.test(above.text) && gap < usual + BLOCK_GAP * above.size;
}

function splitFlow(lines: readonly TextLine[], page: Usual): TextLine[][] {
  const em = median(lines.map(({ size }) => size));
  const usual = usualGap(lines, em);
  const left = Math.min(...lines.map(({ box }) => box[0]));
  const right = Math.max(...lines.map(({ box }) => box[2]));
  const blocks: TextLine[][] = [];
  for (const line of lines) {
    const above = blocks.at(-1)?.at(-1);
    const gap = above === undefined ? 0 : line.box[1] - above.box[3];
    const begins =
      above === undefined ||
      (isBold(above, page) !== isBold(line, page) && !runsOn(above, gap, usual, right)) ||
      beginsBlock(above, line, gap, usual, left, right);
    if (begins) blocks.push([line]);
    else blocks.at(-1)?.push(line);
  }
  return blocks;
}

/** A heading: larger type, or bold type in a short line by itself. */
function isTitle(lines: readonly TextLine[], text: string, usual: Usual): boolean {
  if (lines.length > 3 || text.length > 160 || !/\p{L}/u.test(text)) return false;
  if (/^\p{Ll}/u.test(text)) return false;
  if (median(lines.map(({ size }) => size)) > TITLE_SIZE * usual.size && lines.every((line) => hasThickStrokes(line, usual))) return true;
  return lines.length <= 2 && text.length <= 90 && lines.every((line) => isBold(line, usual)) && !/[.,;。，；]$/u.test(text);
}

/** A heading in type hardly larger than the text's, but stronger: a short line by itself, over a paragraph. */
function isStrongLine(lines: readonly TextLine[], next: readonly TextLine[] | undefined, width: number, usual: Usual): boolean {
  const [line] = lines;
  if (line === undefined || lines.length > 1 || next === undefined || next.length < 2) return false;
  if (SENTENCE_END.test(line.text) || /[.,;，；、]$/u.test(line.text) || [...line.text].length < 3) return false;
  const stroke = strokeOf(line);
  const short = line.box[2] - line.box[0] < SHORT_LINE * width;
  return short && stroke !== null && usual.stroke !== null && stroke > STRONG_STROKE * usual.stroke && line.size > STRONG_SIZE * usual.size;
}

function flowToBlocks(flow: readonly TextLine[], usual: Usual): DraftBlock[] {
  const width = Math.max(...flow.map(({ box }) => box[2])) - Math.min(...flow.map(({ box }) => box[0]));
  const blocks = splitFlow(flow, usual);
  return blocks.map((lines, index) => flowBlock(lines, usual, isStrongLine(lines, blocks[index + 1], width, usual)));
}

function flowBlock(lines: TextLine[], usual: Usual, isStrong: boolean): DraftBlock {
  const text = joinLines(lines.map((line) => line.text));
  if (isStrong || isTitle(lines, text, usual)) return { type: 'title', lines, text };
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
  const usual: Usual = {
    size: usualOf(all, ({ size }) => size) ?? 0,
    weight: usualOf(all, ({ weight }) => weight),
    stroke: usualOf(all, strokeOf),
  };
  const blocks = regions.flatMap((region) => (region.kind === 'table' ? [tableBlock(region.rows)] : flowToBlocks(region.lines, usual)));
  return mergeLists(blocks);
}
