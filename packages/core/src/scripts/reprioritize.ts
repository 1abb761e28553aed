import { TASK_STATES, type TaskState } from '@galley/contract';
import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const reprioritizeScript = defineScript({
  name: 'reprioritize',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', id: 'string', priority: 'number', score: 'number', clock_weight: 'number', timeline_ms: 'number' },
  rows: [],
});

export type ReprioritizeReply = { readonly word: 'reprioritized' | 'final'; readonly state: TaskState } | { readonly word: 'missing' };

export function parseReprioritize(words: readonly string[]): ReprioritizeReply {
  const reply = new ReplyReader('reprioritize', words);
  const word = reply.oneOf(['reprioritized', 'final', 'missing']);
  return word === 'missing' ? { word } : { word, state: reply.oneOf(TASK_STATES) };
}
