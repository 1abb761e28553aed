import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepBlobs, UNTOUCHED_MS } from '../documents/blob-janitor.ts';
import { shownFileName } from '../documents/file-name.ts';
import { Queues } from '../queue/queues.ts';
import { versionOf } from '../redis/redis-version.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
beforeAll(async () => {
  galley = await TestServer.start();
});
afterAll(() => galley.stop());

describe('the blob janitor', () => {
  test('deletes what nothing was made from and nobody touched, and nothing else', async () => {
    await galley.upload([{ name: 'a.png', bytes: pngBytes('kept') }]);
    const { sha256: orphan } = await galley.blobs.put(pngBytes('orphan'));
    const queues = new Queues(galley.connection, {});
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
