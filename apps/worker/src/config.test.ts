import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig, redacted } from './config.ts';

const GALLEY_REDIS_URL = 'redis://user:secret@localhost:6379';

describe('parseConfig', () => {
  test('takes the defaults for all that is left out or empty', () => {
    const config = parseConfig({ GALLEY_REDIS_URL, GALLEY_SLOTS: ' ', PATH: '/bin' });
    expect(config).toMatchObject({
      redisUrl: GALLEY_REDIS_URL,
      dataDirectory: path.resolve('data'),
      slots: availableParallelism(),
      shards: undefined,
      order: undefined,
      leaseMs: 30_000,
      graceMs: 30_000,
      timeoutMs: 600_000,
      resultMs: 3_600_000,
      retentionMs: 7 * 86_400_000,
      crashBudget: 5,
      limits: { maxPages: 2_000, maxPagePixels: 100_000_000, renderDpi: 200 },
      maxFileBytes: 100_000_000,
      logLevel: 'info',
      threadHeapMb: undefined,
      glmOcr: undefined,
      recycle: {},
    });
  });

  test('reads what is set', () => {
    const config = parseConfig({
      GALLEY_REDIS_URL,
      GALLEY_SLOTS: '3',
      GALLEY_ORDER: 'aging',
      GALLEY_LEASE_MS: '1000',
      GALLEY_THREAD_HEAP_MB: '512',
      GALLEY_THREAD_TASKS: '100',
      GALLEY_THREAD_GROWTH_MB: '200',
      GALLEY_URL_ALLOW: 'Files.example.com, 10.0.0.0/8',
    });
    expect(config).toMatchObject({ slots: 3, order: 'aging', leaseMs: 1_000, threadHeapMb: 512, recycle: { tasks: 100, growthMb: 200 } });
    expect(config.urlAllow.entries).toEqual(['files.example.com', '10.0.0.0/8']);
  });

  test.each([
    [{}, 'GALLEY_REDIS_URL is not set; it takes redis://'],
    [{ GALLEY_REDIS_URL: 'localhost' }, 'GALLEY_REDIS_URL is set; it takes redis://'],
    [
      { GALLEY_REDIS_URL, GALLEY_SLOTS: 'two' },
      'GALLEY_SLOTS is "two"; it takes a whole number from 1 to 256; left out, it is the number of cores',
    ],
    [
      { GALLEY_REDIS_URL, GALLEY_LEASE_MS: '-1' },
      'GALLEY_LEASE_MS is "-1"; it takes a whole number from 200 to 86400000; left out, it is 30000.',
    ],
    [{ GALLEY_REDIS_URL, GALLEY_RENDER_DPI: '5000' }, 'GALLEY_RENDER_DPI is "5000"; it takes a whole number from 36 to 1200'],
    [{ GALLEY_REDIS_URL, GALLEY_ORDER: 'random' }, 'GALLEY_ORDER is "random"; it takes strict, aging or fair; left out, it is strict.'],
    [{ GALLEY_REDIS_URL, GALLEY_LOG_LEVEL: 'loud' }, 'GALLEY_LOG_LEVEL is "loud"; it takes trace, debug'],
    [{ GALLEY_REDIS_URL, GALLEY_URL_ALLOW: '10.0.0.0/64' }, 'GALLEY_URL_ALLOW has the entry "10.0.0.0/64"; it takes host names'],
  ])('says how to mend %o', (environment, sentence) => {
    expect(() => parseConfig(environment)).toThrow(sentence);
  });

  test('refuses a name that no setting has, but not the settings of the programs beside it', () => {
    expect(() => parseConfig({ GALLEY_REDIS_URL, GALLEY_SLOT: '2' })).toThrow('GALLEY_SLOT: no setting has this name.');
    expect(parseConfig({ GALLEY_REDIS_URL, GALLEY_PORT: '1', GALLEY_TOKENS_FILE: 'x' })).toMatchObject({ redisUrl: GALLEY_REDIS_URL });
  });

  test('names every bad value at once', () => {
    const parse = (): unknown => parseConfig({ GALLEY_REDIS_URL, GALLEY_SLOTS: '0', GALLEY_SHARDS: 'x' });
    expect(parse).toThrow('GALLEY_SLOTS is "0"');
    expect(parse).toThrow('GALLEY_SHARDS is "x"');
  });

  test('has GLM-OCR where its address is set, with its own defaults, and never logs the key', () => {
    const GALLEY_GLM_OCR_URL = 'http://gpu:8080';
    expect(parseConfig({ GALLEY_REDIS_URL }).glmOcr).toBeUndefined();
    const config = parseConfig({ GALLEY_REDIS_URL, GALLEY_GLM_OCR_URL, GALLEY_GLM_OCR_KEY: 's3cret' });
    expect(config.glmOcr).toEqual({
      address: GALLEY_GLM_OCR_URL,
      protocol: 'chat',
      key: 's3cret',
      model: 'glm-ocr',
      task: 'text',
      slots: 4,
      timeoutMs: 120_000,
    });
    expect(JSON.stringify(redacted(config))).not.toContain('s3cret');
  });

  test.each([
    [{ GALLEY_GLM_OCR_URL: 'gpu:8080' }, 'GALLEY_GLM_OCR_URL is set; it takes an http or https address'],
    [{ GALLEY_GLM_OCR_URL: 'http://user:pass@gpu' }, 'GALLEY_GLM_OCR_URL is set; it takes an http or https address without user name'],
    [{ GALLEY_GLM_OCR_PROTOCOL: 'soap' }, 'GALLEY_GLM_OCR_PROTOCOL is "soap"; it takes chat or parse; left out, it is chat.'],
    [{ GALLEY_GLM_OCR_KEY: 'two words' }, 'GALLEY_GLM_OCR_KEY is set; it takes printable'],
    [{ GALLEY_GLM_OCR_SLOTS: '0' }, 'GALLEY_GLM_OCR_SLOTS is "0"; it takes a whole number from 1 to 256'],
  ])('says how to mend %o', (environment, sentence) => {
    expect(() => parseConfig({ GALLEY_REDIS_URL, ...environment })).toThrow(sentence);
  });

  test('can be logged without the password', () => {
    expect(JSON.stringify(redacted(parseConfig({ GALLEY_REDIS_URL: `${GALLEY_REDIS_URL},redis://user:secret@other` })))).not.toContain(
      'secret',
    );
  });
});
