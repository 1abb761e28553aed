import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const releaseScript = defineScript({
  name: 'release',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', worker: 'string', timeline_ms: 'number' },
  rows: ['id', 'fence'],
});

/** What became of a task handed back. */
export const RELEASE_WORDS = ['pending', 'lease_lost', 'missing'] as const;
export type ReleaseWord = (typeof RELEASE_WORDS)[number];

/** A word for each row, in order. */
export function parseRelease(words: readonly string[]): { readonly at: number; readonly words: ReleaseWord[] } {
  const reply = new ReplyReader('release', words);
  reply.oneOf(['released']);
  return { at: reply.number(), words: reply.rest(RELEASE_WORDS) };
}
