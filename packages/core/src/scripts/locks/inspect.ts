import { defineScript } from '../../redis/script.ts';
import { ReplyReader } from '../shared.ts';

export const inspectLockScript = defineScript({
  name: 'locks/inspect',
  keys: ['lock', 'line', 'waiters'],
  arguments: { limit: 'number' },
  rows: [],
});

export interface InspectedLock {
  readonly held: { readonly holder: string; readonly count: number; readonly fence: number; readonly leftMs: number } | null;
  readonly inLine: number;
  readonly waiters: readonly { readonly holder: string; readonly sinceMs: number; readonly fair: boolean }[];
}

export function parseInspectLock(words: readonly string[]): InspectedLock {
  const reply = new ReplyReader('locks/inspect', words);
  const word = reply.oneOf(['held', 'free']);
  const held = { holder: reply.word(), count: reply.number(), fence: reply.number(), leftMs: reply.number() };
  const inLine = reply.number();
  const waiters: InspectedLock['waiters'][number][] = [];
  while (!reply.done) waiters.push({ holder: reply.word(), sinceMs: reply.number(), fair: reply.oneOf(['f', 'b']) === 'f' });
  return { held: word === 'held' ? held : null, inLine, waiters };
}
