import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const completeScript = defineScript({
  name: 'complete',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', worker: 'string', lock_keys: 'number', timeline_ms: 'number' },
  rows: ['id', 'run', 'result'],
});

/** What a row says of its run beside the result; `counters`: `name=amount` parted by commas. */
export function completeRun(fence: number, resultMs: number, counters: string): string {
  return `${fence},${resultMs},${counters}`;
}

/** What became of a reported result. */
export const COMPLETE_WORDS = ['completed', 'lease_lost', 'cancelled', 'missing'] as const;
export type CompleteWord = (typeof COMPLETE_WORDS)[number];

/** A word for each of `rows` rows, in order; the script leaves them out where all were completed. */
export function parseComplete(words: readonly string[], rows: number): { readonly at: number; readonly words: CompleteWord[] } {
  const reply = new ReplyReader('complete', words);
  reply.oneOf(['completed']);
  const at = reply.number();
  return { at, words: reply.done ? Array.from({ length: rows }, () => 'completed' as const) : reply.rest(COMPLETE_WORDS) };
}
