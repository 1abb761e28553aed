import { defineScript } from '../../redis/script.ts';
import { ReplyReader } from '../shared.ts';

export const renewLockScript = defineScript({
  name: 'locks/renew',
  keys: ['lock'],
  arguments: { id: 'string', ttl_ms: 'string' },
  rows: [],
});

export const RENEW_LOCK_WORDS = ['renewed', 'expired', 'taken'] as const;

export function parseRenewLock(words: readonly string[]): (typeof RENEW_LOCK_WORDS)[number] {
  return new ReplyReader('locks/renew', words).oneOf(RENEW_LOCK_WORDS);
}
