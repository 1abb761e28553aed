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
  /** It has no turn of the fair order yet, and needs none where it only duplicates. */
  turnless?: boolean;
  tags: Readonly<Record<string, string>>;
}): string {
  const tags = Object.entries(options.tags).map(([kind, value]) => `${kind}:${Buffer.byteLength(value)}:${value}`);
  return `${options.priority},${options.delayMs},${options.maxRetries},${options.crashBudget},${options.gated ? 'g' : ''}${options.turnless === true ? 't' : ''},${tags.join('')}`;
}

export interface DuplicateOf {
  readonly id: string;
  readonly state: TaskState;
  readonly priority: number;
  readonly createdAt: number;
  /** Whether this submit has raised it to its better priority. */
  readonly lifted: boolean;
}

/** Why nothing was made of a row: the shard takes no more, or it came without the turn that it needs. */
export type SubmitRefusal = { readonly refused: 'queue_full' | 'turn_needed' };

export interface SubmitReply {
  /** Milliseconds, Redis's clock; 0 where all were refused. */
  readonly at: number;
  readonly rows: readonly (string | DuplicateOf | SubmitRefusal)[];
}

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

function readRow(row: string): string | DuplicateOf | SubmitRefusal {
  if (row.startsWith('=')) return duplicateOf(row);
  return row.startsWith('!') ? { refused: new ReplyReader('submit', [row.slice(1)]).oneOf(['queue_full', 'turn_needed']) } : row;
}

/** For each of `rows` rows the new task's id, the task it duplicates, or why it was refused. */
export function parseSubmit(words: readonly string[], rows: number): SubmitReply {
  const reply = new ReplyReader('submit', words);
  const word = reply.oneOf(['submitted', 'mixed', 'queue_full']);
  if (word === 'queue_full') return { at: 0, rows: Array.from({ length: rows }, () => ({ refused: 'queue_full' as const })) };
  const at = reply.number();
  if (word === 'submitted') return { at, rows: reply.word().split(' ') };
  const answers: SubmitReply['rows'][number][] = [];
  while (!reply.done) answers.push(readRow(reply.word()));
  return { at, rows: answers };
}
