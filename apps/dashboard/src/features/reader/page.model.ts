import { BLOCK_TYPES, type Block, type BlockType, type Box, type Line, type PageResult } from '@galley/contract';

/** Below this a line is to be checked against the picture; at or above the second it is trusted (design §2.3). */
export const DOUBTFUL_UNDER = 0.8;
export const SURE_FROM = 0.95;

export type Certainty = 'high' | 'middle' | 'low';

export function certaintyOf(confidence: number): Certainty {
  if (confidence < DOUBTFUL_UNDER) return 'low';
  return confidence < SURE_FROM ? 'middle' : 'high';
}

/** `b3` a block, `b3l2` its second line, `b3r4` the fourth row of a table: what picture and text are linked by. */
export type TargetKey = string;

export const blockKey = (block: number): TargetKey => `b${block}`;
export const lineKey = (block: number, line: number): TargetKey => `b${block}l${line}`;
export const rowKey = (block: number, row: number): TargetKey => `b${block}r${row}`;

export interface Target {
  readonly key: TargetKey;
  readonly box: Box;
}

export function boxOfLines(lines: readonly Line[]): Box | null {
  const points = lines.flatMap(({ polygon }) => polygon);
  if (points.length === 0) return null;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const middleOf = ([, top, , bottom]: Box): number => (top + bottom) / 2;

/** Lines that stand beside each other, from the top: the rows in which the eye sees them. */
export function visualRows(lines: readonly Line[]): readonly (readonly Line[])[] {
  const placed = lines.flatMap((line) => {
    const box = boxOfLines([line]);
    return box === null ? [] : [{ line, box }];
  });
  placed.sort((a, b) => middleOf(a.box) - middleOf(b.box));
  const rows: { lines: Line[]; box: Box }[] = [];
  for (const { line, box } of placed) {
    const last = rows.at(-1);
    // In the same row where its middle lies within the row's first line.
    if (last !== undefined && middleOf(box) < last.box[3]) last.lines.push(line);
    else rows.push({ lines: [line], box });
  }
  return rows.map((row) => row.lines);
}

/** Where the rows of a table stand on the page: by its lines where they make as many rows, else in equal parts of its box. */
export function tableRowBoxes(block: Block): readonly Box[] {
  const count = block.rows?.length ?? 0;
  const [left, top, right, bottom] = block.bbox;
  const seen = visualRows(block.lines);
  if (seen.length !== count) {
    const height = (bottom - top) / Math.max(1, count);
    return Array.from({ length: count }, (_, index): Box => [left, top + index * height, right, top + (index + 1) * height]);
  }
  const boxes = seen.map((lines) => boxOfLines(lines) ?? block.bbox);
  return boxes.map((box, index): Box => {
    const above = boxes[index - 1];
    const below = boxes[index + 1];
    return [left, above === undefined ? top : (above[3] + box[1]) / 2, right, below === undefined ? bottom : (box[3] + below[1]) / 2];
  });
}

/** The lines or rows of a block as targets of their own. */
export function partTargets(block: Block): readonly Target[] {
  if (block.type === 'table' && block.rows !== undefined) {
    return tableRowBoxes(block).map((box, index) => ({ key: rowKey(block.id, index + 1), box }));
  }
  return block.lines.flatMap((line, index) => {
    const box = boxOfLines([line]);
    return box === null ? [] : [{ key: lineKey(block.id, index + 1), box }];
  });
}

/** The box of any target of a page; null where the page has no such target. */
export function targetBox(page: PageResult, key: TargetKey): Box | null {
  for (const block of page.blocks) {
    if (blockKey(block.id) === key) return block.bbox;
    const part = partTargets(block).find((target) => target.key === key);
    if (part !== undefined) return part.box;
  }
  return null;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{P}]/u;
/** Shares of a block's width: how far a full line reaches, and how far a line of running text may be set in. */
const FULL_LINE = 0.82;
const INDENT = 0.1;
/** Latin letters, of which a Chinese character counts for two; shorter full lines are lines of an address or of sums. */
const RUNNING_LENGTH = 28;

function lengthOf(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
}

/** Whether a block's lines are one running text, broken only where its column ends, so that it may be set anew. */
export function flows(block: Block): boolean {
  if (block.type === 'list' || block.lines.length < 2) return false;
  const [left, , right] = block.bbox;
  const width = right - left;
  return block.lines.every((line, index) => {
    const box = boxOfLines([line]);
    if (box === null || box[0] - left > width * INDENT) return false;
    const last = index === block.lines.length - 1;
    return last || (box[2] - left >= width * FULL_LINE && lengthOf(line.text) >= RUNNING_LENGTH);
  });
}

/** What stands between two lines that flow: a blank, and nothing between Chinese or after a hyphen. */
export function joint(before: string, after: string): string {
  const last = before.at(-1) ?? '';
  const first = after.at(0) ?? '';
  if (last === '-' || last === '' || first === '') return '';
  return CJK.test(last) && CJK.test(first) ? '' : ' ';
}

/** Lines to check, in reading order. */
export function doubtfulKeys(page: PageResult): readonly TargetKey[] {
  return page.blocks.flatMap((block) =>
    block.lines.flatMap((line, index) => {
      if (line.confidence >= DOUBTFUL_UNDER) return [];
      return [block.type === 'table' && block.rows !== undefined ? rowOfLine(block, line) : lineKey(block.id, index + 1)];
    }),
  );
}

/** The row of a table in which a line stands. */
export function rowOfLine(block: Block, line: Line): TargetKey {
  const box = boxOfLines([line]);
  const middle = box === null ? 0 : middleOf(box);
  const index = tableRowBoxes(block).findIndex(([, top, , bottom]) => middle >= top && middle < bottom);
  return rowKey(block.id, Math.max(0, index) + 1);
}

export interface PageFigures {
  readonly blocks: number;
  readonly lines: number;
  /** Mean over lines; null on a page without any. */
  readonly confidence: number | null;
}

export function figuresOf(page: PageResult): PageFigures {
  const lines = page.blocks.flatMap((block) => block.lines);
  const sum = lines.reduce((total, line) => total + line.confidence, 0);
  return { blocks: page.blocks.length, lines: lines.length, confidence: lines.length === 0 ? null : sum / lines.length };
}

/** How many blocks of each kind, in the design's order, those that are not there left out. */
export function kindCounts(page: PageResult): readonly { readonly kind: BlockType; readonly count: number }[] {
  return BLOCK_TYPES.map((kind) => ({ kind, count: page.blocks.filter((block) => block.type === kind).length })).filter(
    ({ count }) => count > 0,
  );
}

export function certaintyCounts(page: PageResult): readonly { readonly certainty: Certainty; readonly count: number }[] {
  const lines = page.blocks.flatMap((block) => block.lines);
  return (['high', 'middle', 'low'] as const).map((certainty) => ({
    certainty,
    count: lines.filter((line) => certaintyOf(line.confidence) === certainty).length,
  }));
}

export function pageText(page: PageResult): string {
  return page.blocks
    .map(({ text }) => text)
    .filter(Boolean)
    .join('\n\n');
}

const NUMBER = /^[\s\d.,:%+\-–−()/€$£¥]*\d[\s\d.,:%+\-–−()/€$£¥]*$/;

/** Columns of a table whose cells under the head are numbers: those stand right. */
export function numberColumns(rows: readonly (readonly string[])[]): ReadonlySet<number> {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const body = rows.slice(1);
  const columns = new Set<number>();
  for (let column = 1; column < width; column += 1) {
    const cells = body.map((row) => row[column] ?? '').filter((cell) => cell !== '');
    if (cells.length > 0 && cells.every((cell) => NUMBER.test(cell))) columns.add(column);
  }
  return columns;
}

/** The language of a text as far as its letters tell: fonts and line breaks depend on it. */
export function languageOf(text: string): 'zh-CN' | undefined {
  return /\p{Script=Han}/u.test(text) ? 'zh-CN' : undefined;
}
