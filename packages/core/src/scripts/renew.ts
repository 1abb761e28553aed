import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const renewScript = defineScript({
  name: 'renew',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', worker: 'string', lease_ms: 'number', lock_keys: 'number', timeline_ms: 'number' },
  rows: ['id', 'fence', 'progress'],
});

/** `reaped`: back in line, but nobody has claimed it since, so a late result is still accepted. */
export const RENEW_WORDS = ['renewed', 'reaped', 'cancelled', 'lost', 'missing'] as const;
export type RenewWord = (typeof RENEW_WORDS)[number];

/** A word for each row, in order. */
export function parseRenew(words: readonly string[]): { readonly at: number; readonly words: RenewWord[] } {
  const reply = new ReplyReader('renew', words);
  reply.oneOf(['renewed']);
  return { at: reply.number(), words: reply.rest(RENEW_WORDS) };
}
