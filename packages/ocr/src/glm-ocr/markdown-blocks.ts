import type { Block, BlockType } from '@galley/contract';
import { htmlTableRows } from './html-table.ts';

/** What one piece of a model's Markdown says. */
export interface MarkdownPiece {
  readonly type: BlockType;
  /** Without markup. */
  readonly text: string;
  readonly rows?: Block['rows'];
  /** As the model wrote it. */
  readonly source: string;
}

const HEADING = /^\s{0,3}#{1,6}\s+/;
const ITEM = /^\s*(?:[-*+•·]|\d{1,3}[.)])\s+/;
const BULLET = /^\s*[-*+•·]\s+/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const RULE = /^\s{0,3}(?:[-*_]\s*){3,}$/;
const PIPE_ROW = /^\s*\|.*\|\s*$/;
const PIPE_RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const FIGURE = /^\s*!\[([^\]]*)\]\([^)]*\)\s*$/;
const TABLE_START = /^\s*<table\b/i;
const TABLE_END = /<\/table\s*>/i;

const FORMULA = /(\$\$[\s\S]*?\$\$|\$[^$\n]+\$)/;

/** Emphasis and escapes taken off; a formula stays as it is. */
function withoutMarkup(text: string): string {
  const plain = (part: string): string => part.replace(/(\*\*|__)(?=\S)([^\n]*?\S)\1/g, '$2').replace(/\\([\\`*_{}#+\-.!<>|])/g, '$1');
  return text
    .split(FORMULA)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('')
    .trim();
}

function pipeRows(lines: readonly string[]): string[][] {
  return lines
    .filter((line) => !PIPE_RULE.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => withoutMarkup(cell.replace(/<br\s*\/?>/gi, '\n'))),
    );
}

function tablePiece(rows: string[][], source: string): MarkdownPiece {
  return { type: 'table', rows, text: rows.map((row) => row.join('\t')).join('\n'), source };
}

/** A model that was asked for Markdown may put all of it into one fence. */
function unfenced(text: string): string {
  return /^\s*```(?:markdown|md)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** Reads lines one after another; each reader takes what belongs to it and answers what it says. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#lines = text.split(/\r?\n/);
  }

  get current(): string | undefined {
    return this.#lines[this.#at];
  }

  next(): string {
    return this.#lines[this.#at++] ?? '';
  }

  /** Takes lines as long as they fit; the first in any case. */
  takeWhile(fits: (line: string) => boolean): string[] {
    const taken = [this.next()];
    while (this.current !== undefined && fits(this.current)) taken.push(this.next());
    return taken;
  }

  /** Takes lines up to and with the one that ends it, or all where none does. */
  takeThrough(ends: (line: string, index: number) => boolean): string[] {
    const taken: string[] = [];
    while (this.current !== undefined) {
      taken.push(this.next());
      if (ends(taken.at(-1) ?? '', taken.length - 1)) break;
    }
    return taken;
  }
}

const isBlank = (line: string): boolean => line.trim() === '';

function startsPiece(line: string): boolean {
  return [HEADING, FENCE, RULE, PIPE_ROW, FIGURE, TABLE_START].some((pattern) => pattern.test(line));
}

function readPiece(lines: Lines, line: string): MarkdownPiece | null {
  if (isBlank(line) || RULE.test(line)) {
    lines.next();
    return null;
  }
  const verbatim = (type: BlockType, taken: readonly string[], text: string): MarkdownPiece => ({ type, text, source: taken.join('\n') });
  if (TABLE_START.test(line)) {
    const source = lines.takeThrough((one) => TABLE_END.test(one)).join('\n');
    return tablePiece(htmlTableRows(source), source);
  }
  if (FENCE.test(line)) {
    const mark = FENCE.exec(line)?.[1] ?? '```';
    const taken = lines.takeThrough((one, index) => index > 0 && one.trim().startsWith(mark));
    return verbatim('text', taken, taken.filter((one) => !one.trim().startsWith(mark)).join('\n'));
  }
  if (PIPE_ROW.test(line)) {
    const taken = lines.takeWhile((one) => PIPE_ROW.test(one));
    if (taken.length > 1) return tablePiece(pipeRows(taken), taken.join('\n'));
    return verbatim('text', taken, withoutMarkup(line));
  }
  if (HEADING.test(line)) {
    lines.next();
    return verbatim('title', [line], withoutMarkup(line.replace(HEADING, '').replace(/\s+#+\s*$/, '')));
  }
  const figure = FIGURE.exec(line);
  if (figure !== null) {
    lines.next();
    return { type: 'figure', text: figure[1]?.trim() ?? '', source: line.trim() };
  }
  const inPiece = (one: string): boolean => !isBlank(one) && !startsPiece(one);
  if (ITEM.test(line)) {
    const taken = lines.takeWhile(inPiece);
    return verbatim('list', taken, taken.map((one) => withoutMarkup(one.replace(BULLET, ''))).join('\n'));
  }
  const taken = lines.takeWhile((one) => inPiece(one) && !ITEM.test(one));
  return verbatim('text', taken, withoutMarkup(taken.map((one) => one.trim()).join('\n')));
}

/**
 * Cuts a model's Markdown into headings, lists, tables (pipes or HTML), figures and paragraphs, in their order. Nothing that it says is
 * left out but rules between parts.
 */
export function readMarkdown(text: string): MarkdownPiece[] {
  const lines = new Lines(unfenced(text));
  const pieces: MarkdownPiece[] = [];
  while (lines.current !== undefined) {
    const piece = readPiece(lines, lines.current);
    if (piece !== null && (piece.text !== '' || piece.type === 'figure')) pieces.push(piece);
  }
  return pieces;
}
