import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const purgeScript = defineScript({
  name: 'purge',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', limit: 'number', timeline_ms: 'number' },
  rows: ['id'],
});

/** `more`: children are left; call again with the same row. */
export const PURGE_WORDS = ['purged', 'more', 'not_final', 'missing'] as const;
export type PurgeWord = (typeof PURGE_WORDS)[number];

/** A word for each row, in order. */
export function parsePurge(words: readonly string[]): { readonly at: number; readonly words: PurgeWord[] } {
  const reply = new ReplyReader('purge', words);
  reply.oneOf(['purged']);
  return { at: reply.number(), words: reply.rest(PURGE_WORDS) };
}
