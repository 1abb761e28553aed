import { TASK_STATES, type TaskState } from '@galley/contract';
import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const cancelScript = defineScript({
  name: 'cancel',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', id: 'string', from_child: 'number', limit: 'number', timeline_ms: 'number' },
  rows: [],
});

/** `nextChild`: from which child to call again; 0 when the cancellation is whole. */
export type CancelReply =
  | { readonly word: 'cancelled'; readonly nextChild: number }
  | { readonly word: 'final'; readonly state: TaskState }
  | { readonly word: 'missing' };

export function parseCancel(words: readonly string[]): CancelReply {
  const reply = new ReplyReader('cancel', words);
  const word = reply.oneOf(['cancelled', 'final', 'missing']);
  if (word === 'missing') return { word };
  if (word === 'final') return { word, state: reply.oneOf(TASK_STATES) };
  reply.number();
  return { word, nextChild: reply.number() };
}
