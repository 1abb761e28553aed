import { defineScript } from '../redis/script.ts';
import { decodeRecord, type TaskRecord } from '../rules/record.ts';
import { SHARD_KEYS } from './shared.ts';

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
  /** As it stands after the claim. */
  readonly record: TaskRecord;
  readonly message: string;
  /** How the children ended, where the task has fanned out. */
  readonly children: { readonly completed: number; readonly failed: number; readonly total: number } | null;
}

export interface ClaimReply {
  readonly paused: boolean;
  /** Redis's time of the claim; 0 while paused. */
  readonly at: number;
  readonly tasks: ClaimedRow[];
}

const WORDS_PER_TASK = 4;

function bytesAt(words: readonly Buffer[], at: number): Buffer {
  const word = words[at];
  if (word === undefined) throw new Error('the answer of script claim ended early');
  return word;
}

/** The answer is read as bytes, because records are packed. */
export function parseClaim(words: readonly Buffer[]): ClaimReply {
  const word = bytesAt(words, 0).toString();
  if (word === 'paused') return { paused: true, at: 0, tasks: [] };
  if (word !== 'claimed') throw new Error(`script claim answered "${word}", which its declaration does not know`);
  const tasks: ClaimedRow[] = [];
  for (let at = 2; at < words.length; at += WORDS_PER_TASK) {
    const counted = bytesAt(words, at + 3);
    const [completed, failed, total] = counted.length === 0 ? [] : counted.toString().split(' ').map(Number);
    tasks.push({
      id: bytesAt(words, at).toString(),
      record: decodeRecord(bytesAt(words, at + 1)),
      message: bytesAt(words, at + 2).toString(),
      children: completed === undefined || failed === undefined || total === undefined ? null : { completed, failed, total },
    });
  }
  return { paused: false, at: Number(bytesAt(words, 1).toString()), tasks };
}
