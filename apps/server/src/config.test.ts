import { describe, expect, test } from 'vitest';
import { isLoopback, parseConfig, redacted } from './config.ts';

const REDIS = { GALLEY_REDIS_URL: 'redis://127.0.0.1:6379' };

describe('configuration', () => {
  test('has a default for everything but Redis', () => {
    expect(parseConfig(REDIS, '/srv')).toMatchObject({
      host: '127.0.0.1',
      port: 7_300,
      dataDirectory: '/srv/data',
      shards: undefined,
      leaseMs: 30_000,
      maxFileBytes: 100_000_000,
      maxFiles: 100,
      allowedHosts: [],
    });
  });

  test.each([
    [{}, /GALLEY_REDIS_URL is not set; it is needed/],
    [{ ...REDIS, GALLEY_PROT: '1' }, /GALLEY_PROT: no setting has this name.*GALLEY_PORT/],
    [{ ...REDIS, GALLEY_PORT: 'http' }, /GALLEY_PORT is "http"; it takes a whole number from 0 to 65535; left out, it is 7300/],
    [{ ...REDIS, GALLEY_PORT: '70000' }, /GALLEY_PORT is "70000"/],
    [{ ...REDIS, GALLEY_ORDER: 'fifo' }, /GALLEY_ORDER is "fifo"; it takes strict, aging or fair/],
    [{ ...REDIS, GALLEY_LOG_LEVEL: 'loud' }, /GALLEY_LOG_LEVEL is "loud"/],
    [{ ...REDIS, GALLEY_ALLOWED_HOSTS: 'a.example, b c' }, /GALLEY_ALLOWED_HOSTS is "a.example, b c"; it takes host names/],
    [{ ...REDIS, GALLEY_HOST: '0.0.0.0' }, /other machines can reach.*Set GALLEY_TOKENS_FILE.*or listen on 127.0.0.1/],
  ])('refuses %o with a sentence that says how to mend it', (environment, sentence) => {
    expect(() => parseConfig(environment, '/srv')).toThrow(sentence);
  });

  test('leaves what only others read to them, and takes an empty value for none', () => {
    expect(parseConfig({ ...REDIS, GALLEY_SLOTS: '4', GALLEY_WORKERS: '2', GALLEY_PORT: '', PATH: '/bin' }, '/srv').port).toBe(7_300);
  });

  test('prints no password', () => {
    const config = parseConfig({ GALLEY_REDIS_URL: 'redis://me:secret@one:1,redis://me:secret@two:2' }, '/srv');
    expect(redacted(config).redisUrl).toBe('redis://***@one:1,redis://***@two:2');
  });

  test('knows which addresses are loopback', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.example', '1127.0.0.1'].some(isLoopback)).toBe(false);
  });
});
