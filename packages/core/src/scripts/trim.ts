import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const trimScript = defineScript({
  name: 'trim',
  keys: SHARD_KEYS,
  arguments: {
    sequence_at: 'number',
    limit: 'number',
    finished_before: 'number',
    dead_before: 'number',
    finished_most: 'number',
    timeline_ms: 'number',
  },
  rows: [],
});

export function parseTrim(words: readonly string[]): number {
  const reply = new ReplyReader('trim', words);
  reply.oneOf(['trimmed']);
  return reply.number();
}
