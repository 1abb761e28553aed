import { TASK_STATES, type TaskState } from '@galley/contract';
import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const reprioritizeScript = defineScript({
  name: 'reprioritize',
  keys: SHARD_KEYS,
  arguments: {
    sequence_at: 'number',
    id: 'string',
    priority: 'number',
    score: 'number',
    clock_weight: 'number',
    from_child: 'number',
    limit: 'number',
    timeline_ms: 'number',
  },
  rows: [],
});

/** `nextChild`: from which child to call again; 0 when the whole family has its new place. */
export type ReprioritizeReply =
  | { readonly word: 'reprioritized'; readonly state: TaskState; readonly nextChild: number }
  | { readonly word: 'final'; readonly state: TaskState }
  | { readonly word: 'missing' };

export function parseReprioritize(words: readonly string[]): ReprioritizeReply {
  const reply = new ReplyReader('reprioritize', words);
  const word = reply.oneOf(['reprioritized', 'final', 'missing']);
  if (word === 'missing') return { word };
  const state = reply.oneOf(TASK_STATES);
  return word === 'final' ? { word, state } : { word, state, nextChild: reply.number() };
}
