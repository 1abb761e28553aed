import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const claimScript = defineScript({
  name: 'claim',
  keys: [...SHARD_KEYS, 'replay'],
  arguments: {
    sequence_at: 'number',
    request_id: 'string',
    replay_ms: 'number',
    worker: 'string',
    lease_ms: 'number',
    limit: 'number',
    bound: 'string',
    lock_keys: 'number',
    timeline_ms: 'number',
  },
  rows: [],
});

export interface ClaimedRow {
  readonly id: string;
  readonly fence: number;
  readonly attempts: number;
  readonly crashes: number;
  readonly maxRetries: number;
  readonly priority: number;
  readonly createdAt: number;
  readonly waitedSince: number;
  /** 0–1. */
  readonly progress: number;
  readonly children: { readonly completed: number; readonly failed: number; readonly total: number };
  readonly message: string;
}

export interface ClaimReply {
  readonly paused: boolean;
  /** Redis's time of the claim; 0 while paused. */
  readonly at: number;
  /** The score at the shard's head after the claim; null where it is empty. */
  readonly head: number | null;
  readonly tasks: ClaimedRow[];
}

export function parseClaim(words: readonly string[]): ClaimReply {
  const reply = new ReplyReader('claim', words);
  if (reply.oneOf(['claimed', 'paused']) === 'paused') return { paused: true, at: 0, head: null, tasks: [] };
  const at = reply.number();
  const head = reply.word();
  const tasks: ClaimedRow[] = [];
  while (!reply.done) {
    tasks.push({
      id: reply.word(),
      fence: reply.number(),
      attempts: reply.number(),
      crashes: reply.number(),
      maxRetries: reply.number(),
      priority: reply.number(),
      createdAt: reply.number(),
      waitedSince: reply.number(),
      progress: reply.number() / 10_000,
      children: { completed: reply.number(), failed: reply.number(), total: reply.number() },
      message: reply.word(),
    });
  }
  return { paused: false, at, head: head === '-' ? null : Number(head), tasks };
}
