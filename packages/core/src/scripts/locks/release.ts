import { defineScript } from '../../redis/script.ts';
import { ReplyReader } from '../shared.ts';

export const releaseLockScript = defineScript({
  name: 'locks/release',
  keys: ['lock', 'line', 'waiters'],
  arguments: { id: 'string', alone: 'string', waiting: 'string', wake_prefix: 'string' },
  rows: [],
});

/** `kept`: its holder has taken it more than once and still has it. `expired`: nobody holds it. `taken`: another does. */
export const RELEASE_LOCK_WORDS = ['released', 'kept', 'expired', 'taken'] as const;

export function parseReleaseLock(words: readonly string[]): (typeof RELEASE_LOCK_WORDS)[number] {
  return new ReplyReader('locks/release', words).oneOf(RELEASE_LOCK_WORDS);
}
