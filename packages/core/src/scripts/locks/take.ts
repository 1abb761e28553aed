import { defineScript } from '../../redis/script.ts';

export const takeLockScript = defineScript({
  name: 'locks/take',
  keys: ['lock', 'fence'],
  arguments: { id: 'string', holder: 'string', ttl_ms: 'string' },
  rows: [],
});
