import { defineScript } from '../redis/script.ts';
import { ReplyReader } from './shared.ts';

export const reserveScript = defineScript({
  name: 'reserve',
  keys: ['base', 'turn', 'turns'],
  arguments: { priority: 'string', count: 'number', virtual_time: 'number', turn_ms: 'number' },
  rows: [],
});

export function parseReserve(words: readonly string[]): number {
  const reply = new ReplyReader('reserve', words);
  reply.oneOf(['reserved']);
  return reply.number();
}
