import { defineScript } from '../redis/script.ts';
import { ReplyReader } from './shared.ts';

export const permitScript = defineScript({
  name: 'permit',
  keys: ['rate', 'replay'],
  arguments: { request_id: 'string', replay_ms: 'number', want: 'number', ticket: 'number', unspent: 'number', late: 'number' },
  rows: [],
});

/** How many runs may start now. */
export interface Permit {
  readonly count: number;
  /** Names the starts that were counted, for settling them. */
  readonly ticket: number;
  /** Redis's time by which they are to be spent. */
  readonly until: number;
  /** Milliseconds until there are more; 0 where all that were asked for were given. */
  readonly waitMs: number;
}

/** Null: the queue has no rate. */
export function parsePermit(words: readonly string[]): Permit | null {
  const reply = new ReplyReader('permit', words);
  if (reply.oneOf(['permitted', 'unlimited']) === 'unlimited') return null;
  return { count: reply.number(), ticket: reply.number(), until: reply.number(), waitMs: reply.number() };
}
