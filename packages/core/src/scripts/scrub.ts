import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const scrubScript = defineScript({
  name: 'scrub',
  keys: SHARD_KEYS,
  arguments: {
    sequence_at: 'number',
    bucket: 'string',
    cursor: 'string',
    limit: 'number',
    lease_ms: 'number',
    lock_keys: 'number',
    timeline_ms: 'number',
  },
  rows: [],
});

/** `cursor` "0": the bucket is done. */
export function parseScrub(words: readonly string[]): { readonly cursor: string; readonly mended: number } {
  const reply = new ReplyReader('scrub', words);
  reply.oneOf(['scrubbed']);
  return { cursor: reply.word(), mended: reply.number() };
}
