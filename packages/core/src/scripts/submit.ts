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
  rows: ['suffix', 'score', 'options', 'identity', 'message'],
});

export interface SubmitRow {
  /** Six random base-36 characters. */
  readonly suffix: string;
  readonly score: number;
  /** As `submitOptions` writes it. */
  readonly options: string;
  readonly identity: string;
  /** Header line and payload. */
  readonly message: string;
}

export function submitOptions(options: {
  priority: number;
  delayMs: number;
  maxRetries: number;
  crashBudget: number;
  gated: boolean;
  tags: Readonly<Record<string, string>>;
}): string {
  const tags = Object.entries(options.tags).map(([kind, value]) => `${kind}:${Buffer.byteLength(value)}:${value}`);
  return `${options.priority},${options.delayMs},${options.maxRetries},${options.crashBudget},${options.gated ? 'g' : ''},${tags.join('')}`;
}

export interface DuplicateOf {
  readonly id: string;
  readonly state: TaskState;
  readonly priority: number;
  readonly createdAt: number;
  /** Whether this submit has raised it to its better priority. */
  readonly lifted: boolean;
}

export type SubmitReply =
  | { readonly word: 'submitted'; readonly at: number; readonly rows: (string | DuplicateOf)[] }
  | { readonly word: 'queue_full'; readonly depth: number };

function duplicateOf(text: string): DuplicateOf {
  const reply = new ReplyReader('submit', text.slice(1).split(' '));
  return {
    id: reply.word(),
    state: reply.oneOf(TASK_STATES),
    priority: reply.number(),
    createdAt: reply.number(),
    lifted: reply.number() === 1,
  };
}

/** For each row the new task's id, or the task it duplicates. */
export function parseSubmit(words: readonly string[]): SubmitReply {
  const reply = new ReplyReader('submit', words);
  const word = reply.oneOf(['submitted', 'mixed', 'queue_full']);
  if (word === 'queue_full') return { word, depth: reply.number() };
  const at = reply.number();
  if (word === 'submitted') return { word, at, rows: reply.word().split(' ') };
  const rows: (string | DuplicateOf)[] = [];
  while (!reply.done) {
    const row = reply.word();
    rows.push(row.startsWith('=') ? duplicateOf(row) : row);
  }
  return { word: 'submitted', at, rows };
}
