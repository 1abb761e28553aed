import { expect, test } from 'vitest';
import { checkRedisVersion } from './redis-version.ts';

test.each([
  'redis_version:7.0.15',
  'redis_version:8.2.1',
  'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:7.2.5',
  'redis_version:7.2.4\r\nvalkey_version:9.0.0',
])('%j is new enough', (info) => expect(() => checkRedisVersion(`# Server\r\n${info}\r\nos:Linux\r\n`)).not.toThrow());

test.each([
  ['redis_version:6.2.14', 'This Redis is version 6.2.14; Galley needs Redis 7.0 or Valkey 7.2, or newer.'],
  ['redis_version:7.2.4\r\nvalkey_version:7.1.0', 'This Valkey is version 7.1.0'],
  ['nothing:1', 'This Redis is version 0.0'],
])('%j is too old', (info, sentence) => expect(() => checkRedisVersion(`# Server\r\n${info}\r\n`)).toThrow(sentence));
