import type { Block, PageResult } from '@galley/contract';
import { lineKey, rowKey, type TargetKey } from './page.model.ts';

/** A place where the searched text stands. */
export interface Match {
  /** From 1. */
  readonly page: number;
  readonly key: TargetKey;
}

/** A text without regard to case and width: full-width letters are found by their narrow forms. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLocaleLowerCase();
}

function partsOf(block: Block): readonly { readonly key: TargetKey; readonly text: string }[] {
  if (block.rows !== undefined) return block.rows.map((row, index) => ({ key: rowKey(block.id, index + 1), text: row.join(' ') }));
  return block.lines.map((line, index) => ({ key: lineKey(block.id, index + 1), text: line.text }));
}

/** Every line or row of the pages that holds the text, in reading order. */
export function findMatches(pages: readonly PageResult[], query: string): readonly Match[] {
  const wanted = folded(query.trim());
  if (wanted === '') return [];
  return pages.flatMap((page) =>
    page.blocks.flatMap((block) =>
      partsOf(block)
        .filter(({ text }) => folded(text).includes(wanted))
        .map(({ key }) => ({ page: page.page, key })),
    ),
  );
}

/** A text cut where the query stands in it, every second piece a hit. */
export function cutAt(text: string, query: string): readonly { readonly text: string; readonly hit: boolean; readonly at: number }[] {
  const wanted = folded(query.trim());
  const searched = folded(text);
  // Where folding changes the length, places in one are not places in the other.
  if (wanted === '' || searched.length !== text.length) return [{ text, hit: false, at: 0 }];
  const pieces: { text: string; hit: boolean; at: number }[] = [];
  let from = 0;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), hit: false, at: from });
    pieces.push({ text: text.slice(at, at + wanted.length), hit: true, at });
    from = at + wanted.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hit: false, at: from });
  return pieces;
}
