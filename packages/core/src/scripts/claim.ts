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

const FIRST_MESSAGE = 4;

function bytesAt(words: readonly Buffer[], at: number): Buffer {
  const word = words[at];
  if (word === undefined) throw new Error('the answer of script claim ended early');
  return word;
}

/** Place of a task in the answer → how its children ended. */
function childrenByPlace(words: readonly Buffer[], from: number): Map<number, ClaimedRow['children']> {
  const children = new Map<number, ClaimedRow['children']>();
  for (let at = from; at < words.length; at += 2) {
    const [completed = 0, failed = 0, total = 0] = bytesAt(words, at + 1)
      .toString()
      .split(' ')
      .map(Number);
    children.set(Number(bytesAt(words, at).toString()) - 1, { completed, failed, total });
  }
  return children;
}

/** The answer is read as bytes, because records are packed. Its words are described in claim.lua. */
export function parseClaim(words: readonly Buffer[]): ClaimReply {
  const word = bytesAt(words, 0).toString();
  if (word === 'paused') return { paused: true, at: 0, tasks: [] };
  if (word !== 'claimed') throw new Error(`script claim answered "${word}", which its declaration does not know`);
  const idsText = bytesAt(words, 2).toString();
  const ids = idsText === '' ? [] : idsText.split(' ');
  const records = bytesAt(words, 3);
  const recordLength = records.length / Math.max(1, ids.length);
  const children = childrenByPlace(words, FIRST_MESSAGE + ids.length);
  const tasks = ids.map((id, place): ClaimedRow => {
    const record = decodeRecord(records, place * recordLength, (place + 1) * recordLength);
    const message = bytesAt(words, FIRST_MESSAGE + place).toString();
    return { id, record, message, children: children.get(place) ?? null };
  });
  return { paused: false, at: Number(bytesAt(words, 1).toString()), tasks };
}
