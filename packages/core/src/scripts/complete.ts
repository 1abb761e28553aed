import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const completeScript = defineScript({
  name: 'complete',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', worker: 'string', lock_keys: 'number', timeline_ms: 'number' },
  rows: ['id', 'fence', 'result_ms', 'counters', 'result'],
});

/** What became of a reported result. */
export const COMPLETE_WORDS = ['completed', 'lease_lost', 'cancelled', 'missing'] as const;
export type CompleteWord = (typeof COMPLETE_WORDS)[number];

/** A word for each row, in order. */
export function parseComplete(words: readonly string[]): { readonly at: number; readonly words: CompleteWord[] } {
  const reply = new ReplyReader('complete', words);
  reply.oneOf(['completed']);
  return { at: reply.number(), words: reply.rest(COMPLETE_WORDS) };
}
