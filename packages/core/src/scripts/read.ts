import { defineScript } from '../redis/script.ts';

export const readScript = defineScript({
  name: 'read',
  keys: ['base', 'processing'],
  arguments: { sequence_at: 'number', result_bytes: 'number' },
  rows: ['id'],
});

/** A task as the script tells it; empty where there is no such thing. */
export interface ReadRow {
  readonly record: Buffer;
  readonly message: string;
  readonly errors: string;
  readonly leaseExpiry: string;
  readonly resultExpiry: string;
  /** `total completed failed`. */
  readonly children: string;
  /** As much of the result as was asked for. */
  readonly result: Buffer;
}

const WORDS_PER_ROW = 7;
const NOTHING = Buffer.alloc(0);

/** A row for each id, in order. */
export function parseRead(words: readonly Buffer[]): ReadRow[] {
  if (words[0]?.toString() !== 'read' || (words.length - 1) % WORDS_PER_ROW !== 0)
    throw new Error(`script read answered ${words.length} words, which are no rows`);
  const rows: ReadRow[] = [];
  const text = (at: number): string => words[at]?.toString('utf8') ?? '';
  for (let at = 1; at < words.length; at += WORDS_PER_ROW) {
    rows.push({
      record: words[at] ?? NOTHING,
      message: text(at + 1),
      errors: text(at + 2),
      leaseExpiry: text(at + 3),
      resultExpiry: text(at + 4),
      children: text(at + 5),
      result: words[at + 6] ?? NOTHING,
    });
  }
  return rows;
}
