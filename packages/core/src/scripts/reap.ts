import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const reapScript = defineScript({
  name: 'reap',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', limit: 'number', count_crashes: 'number', not_after: 'number', timeline_ms: 'number' },
  rows: [],
});

export interface ReapedRow {
  readonly id: string;
  readonly fence: number;
  readonly worker: string;
  readonly state: 'pending' | 'dead_letter';
}

export function parseReap(words: readonly string[]): ReapedRow[] {
  const reply = new ReplyReader('reap', words);
  if (reply.oneOf(['reaped', 'late']) === 'late') return [];
  reply.number();
  const rows: ReapedRow[] = [];
  while (!reply.done)
    rows.push({ id: reply.word(), fence: reply.number(), worker: reply.word(), state: reply.oneOf(['pending', 'dead_letter']) });
  return rows;
}
