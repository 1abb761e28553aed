import { auditListSchema, DEFAULT_ALERT_THRESHOLDS, OCR_QUEUE, systemSchema } from '@galley/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepBlobs, UNTOUCHED_MS } from '../documents/blob-janitor.ts';
import { shownFileName } from '../documents/file-name.ts';
import { AlertThresholdStore } from '../queue/alert-thresholds.ts';
import { Queues } from '../queue/queues.ts';
import { alertThresholdsKey } from '../redis/keys.ts';
import { versionOf } from '../redis/redis-version.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
beforeAll(async () => {
  galley = await TestServer.start();
});
afterAll(() => galley.stop());

describe('the system', () => {
  test('says what Redis is, how full, how it is set, and what the server goes by', async () => {
    const { status, body } = await galley.call('GET', '/api/v1/system');
    expect(status).toBe(200);
    const system = systemSchema.parse(body);
    expect(system.redis).toMatchObject({ name: 'Redis', mode: 'single', masters: 1, memory_limit_bytes: null, eviction: 'noeviction' });
    expect(system.redis.version).toMatch(/^\d+\.\d+/);
    expect(system.redis.memory_bytes).toBeGreaterThan(100_000);
    expect(system.redis.memory_peak_bytes).toBeGreaterThanOrEqual(system.redis.memory_bytes);
    expect(system.redis.clients).toBeGreaterThan(0);
    expect(system.queue).toMatchObject({ queue: 'ocr', shards: 8, order: 'strict', lock_keys: true, crash_budget: 5, max_retries: 3 });
    expect(system.alerts).toEqual(DEFAULT_ALERT_THRESHOLDS);
    expect((await galley.call('GET', '/api/v1/system?queue=none')).status).toBe(404);
  });

  test('takes thresholds of an admin, warns by them at once, and notes what was changed', async () => {
    const thresholds = { stuck_least_ms: 5_000, stuck_times_p95: 2, backlog_old_ms: 1_000, dying_least: 50 };
    expect(await galley.call('POST', '/api/v1/system/alerts', thresholds)).toMatchObject({ status: 200, body: thresholds });
    expect((await galley.call('GET', '/api/v1/system')).body).toMatchObject({ alerts: thresholds });
    const later = new AlertThresholdStore(galley.connection);
    expect(await later.read(), 'another server reads what is stored').toEqual(thresholds);
    const { body } = await galley.call('GET', '/api/v1/audit');
    expect(auditListSchema.parse(body).entries[0]).toMatchObject({
      action: 'set_alerts',
      detail: expect.stringContaining('stuck_least_ms 60000 → 5000'),
    });
    const bad = await galley.call('POST', '/api/v1/system/alerts', { ...thresholds, dying_least: 0 });
    expect(bad).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    await galley.call('POST', '/api/v1/system/alerts', DEFAULT_ALERT_THRESHOLDS);
  });

  test('reads thresholds that an older Galley stored with fewer fields', async () => {
    await galley.connection.client.set(alertThresholdsKey, JSON.stringify({ dying_least: 7, forgotten: 1 }));
    expect(await new AlertThresholdStore(galley.connection).read()).toEqual({ ...DEFAULT_ALERT_THRESHOLDS, dying_least: 7 });
    await galley.connection.client.del(alertThresholdsKey);
  });
});

describe('the blob janitor', () => {
  test('deletes what nothing was made from and nobody touched, and nothing else', async () => {
    await galley.upload([{ name: 'a.png', bytes: pngBytes('kept') }]);
    const { sha256: orphan } = await galley.blobs.put(pngBytes('orphan'));
    const queues = new Queues(galley.connection, [OCR_QUEUE], {});
    await queues.open();
    const options = { connection: galley.connection, queues, blobs: galley.blobs, logger: pino({ level: 'silent' }), resultMs: 1_000 };
    expect(await sweepBlobs(options)).toBe(0);
    expect(await sweepBlobs({ ...options, now: () => Date.now() + UNTOUCHED_MS + 2_000 })).toBe(1);
    expect(await galley.blobs.stat(orphan)).toBeNull();
    expect(await galley.storedFiles()).toHaveLength(1);
  });
});

describe('small rules', () => {
  test('file names are text of bounded length', () => {
    expect(shownFileName('  \u0000\u0007 ')).toBe('unnamed');
    expect(shownFileName('invoice\u202efdp.exe')).toBe('invoicefdp.exe');
    expect(Array.from(shownFileName('😀'.repeat(300)))).toHaveLength(255);
    expect(shownFileName(`${'a'.repeat(300)}.tiff`)).toMatch(/…a+\.tiff$/);
  });

  test('the version of Redis and of Valkey is told apart', () => {
    expect(versionOf('# Server\r\nredis_version:7.0.15\r\n')).toEqual({ name: 'Redis', version: '7.0.15' });
    expect(versionOf('redis_version:7.2.4\r\nvalkey_version:8.0.1\r\n')).toEqual({ name: 'Valkey', version: '8.0.1' });
  });
});
