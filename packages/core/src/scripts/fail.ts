import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const failScript = defineScript({
  name: 'fail',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', worker: 'string', deferred_limit_ms: 'number', timeline_ms: 'number' },
  rows: ['id', 'fence', 'class', 'code', 'delay_ms', 'error'],
});

/** The state the task is in afterwards, or why the word of its holder was not taken. */
export const FAIL_WORDS = [
  'retrying',
  'pending',
  'dead_letter',
  'lease_lost',
  'cancelled',
  'missing',
  'scheduled',
  'processing',
  'waiting',
] as const;
export type FailWord = (typeof FAIL_WORDS)[number];

/** A word for each row, in order. */
export function parseFail(words: readonly string[]): { readonly at: number; readonly words: FailWord[] } {
  const reply = new ReplyReader('fail', words);
  reply.oneOf(['failed']);
  return { at: reply.number(), words: reply.rest(FAIL_WORDS) };
}
