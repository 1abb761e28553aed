import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const fanOutScript = defineScript({
  name: 'fan_out',
  keys: SHARD_KEYS,
  arguments: {
    sequence_at: 'number',
    id: 'string',
    worker: 'string',
    fence: 'number',
    total: 'number',
    last: 'number',
    strict: 'number',
    max_retries: 'number',
    crash_budget: 'number',
    timeline_ms: 'number',
  },
  rows: ['number', 'header', 'payload'],
});

export type FanOutReply =
  | { readonly word: 'fanned_out'; readonly state: 'processing' | 'waiting' | 'pending' | 'dead_letter' }
  | { readonly word: 'lease_lost' | 'missing' | 'children_ended' };

export function parseFanOut(words: readonly string[]): FanOutReply {
  const reply = new ReplyReader('fan_out', words);
  const word = reply.oneOf(['fanned_out', 'lease_lost', 'missing', 'children_ended']);
  return word === 'fanned_out' ? { word, state: reply.oneOf(['processing', 'waiting', 'pending', 'dead_letter']) } : { word };
}
