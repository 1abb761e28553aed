import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const reviveScript = defineScript({
  name: 'revive',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', timeline_ms: 'number' },
  rows: ['id'],
});

/** What became of a revival. */
export const REVIVE_WORDS = ['revived', 'not_dead', 'identity_taken', 'parent_gone', 'missing'] as const;
export type ReviveWord = (typeof REVIVE_WORDS)[number];

/** A word for each row, in order. */
export function parseRevive(words: readonly string[]): { readonly at: number; readonly words: ReviveWord[] } {
  const reply = new ReplyReader('revive', words);
  reply.oneOf(['revived']);
  return { at: reply.number(), words: reply.rest(REVIVE_WORDS) };
}
