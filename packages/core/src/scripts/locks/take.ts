import { defineScript } from '../../redis/script.ts';

export const takeLockScript = defineScript({
  name: 'locks/take',
  keys: ['lock', 'fence'],
  arguments: { owner: 'string', ttl_ms: 'string' },
  rows: [],
});
