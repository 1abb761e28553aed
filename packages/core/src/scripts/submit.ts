import { TASK_STATES, type TaskState } from '@galley/contract';
import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const submitScript = defineScript({
  name: 'submit',
  keys: [...SHARD_KEYS, 'replay'],
  arguments: {
    sequence_at: 'number',
    id_head: 'string',
    request_id: 'string',
    replay_ms: 'number',
    depth_limit: 'number',
    clock_weight: 'number',
    timeline_ms: 'number',
  },
  rows: ['suffix', 'score', 'priority', 'delay_ms', 'max_retries', 'crash_budget', 'identity', 'header', 'payload'],
});

export interface SubmittedRow {
  readonly id: string;
  readonly state: TaskState;
  readonly duplicate: boolean;
  readonly priority: number;
  readonly createdAt: number;
}

export type SubmitReply =
  | { readonly word: 'submitted'; readonly tasks: SubmittedRow[] }
  | { readonly word: 'queue_full'; readonly depth: number };

export function parseSubmit(words: readonly string[]): SubmitReply {
  const reply = new ReplyReader('submit', words);
  if (reply.oneOf(['submitted', 'queue_full']) === 'queue_full') return { word: 'queue_full', depth: reply.number() };
  reply.number();
  const tasks: SubmittedRow[] = [];
  while (!reply.done) {
    tasks.push({
      id: reply.word(),
      state: reply.oneOf(TASK_STATES),
      duplicate: reply.oneOf(['0', '1']) === '1',
      priority: reply.number(),
      createdAt: reply.number(),
    });
  }
  return { word: 'submitted', tasks };
}
