import { defineScript } from '../../redis/script.ts';
import { ReplyReader } from '../shared.ts';

export const acquireLockScript = defineScript({
  name: 'locks/acquire',
  keys: ['lock', 'fence', 'line', 'waiters'],
  arguments: {
    id: 'string',
    holder: 'string',
    ttl_ms: 'string',
    manner: 'string',
    join: 'number',
    ticket: 'string',
    alive_ms: 'number',
    wake_prefix: 'string',
  },
  rows: [],
});

export type AcquireLockReply =
  | { readonly word: 'granted'; readonly fence: number; readonly count: number }
  /** `leftMs` 0: it is free, and another's turn. `ticket` keeps the place in line when it is handed in again. */
  | { readonly word: 'held'; readonly leftMs: number; readonly ticket: string };

/** The answer of `acquire` and of `take`, which says no more than `held`. */
export function parseAcquireLock(words: readonly string[]): AcquireLockReply {
  const reply = new ReplyReader('locks/acquire', words);
  // One word is all that a new holder gets, since it is the common case.
  if (words.length === 1 && words[0] !== 'held') return { word: 'granted', fence: reply.number(), count: 1 };
  if (reply.oneOf(['again', 'held']) === 'again') return { word: 'granted', fence: reply.number(), count: reply.number() };
  return reply.done ? { word: 'held', leftMs: 0, ticket: '' } : { word: 'held', leftMs: reply.number(), ticket: reply.word() };
}
