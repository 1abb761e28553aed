import { defineScript } from '../redis/script.ts';
import { ReplyReader, SHARD_KEYS } from './shared.ts';

export const promoteScript = defineScript({
  name: 'promote',
  keys: SHARD_KEYS,
  arguments: { sequence_at: 'number', limit: 'number', timeline_ms: 'number' },
  rows: [],
});

export function parsePromote(words: readonly string[]): { readonly promoted: number; readonly nextDueAt: number | null } {
  const reply = new ReplyReader('promote', words);
  reply.oneOf(['promoted']);
  const promoted = reply.number();
  const nextDue = reply.word();
  return { promoted, nextDueAt: nextDue === '-' ? null : Number(nextDue) };
}
