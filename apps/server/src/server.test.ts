import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { submitDocumentsSchema } from '@galley/contract';
import { describe, expect, test, vi } from 'vitest';
import { pngBytes, TestServer } from './testing/start.ts';

describe('stopping', () => {
  test('finishes the request under way, and takes no more', async () => {
    const galley = await TestServer.start();
    const sent = httpRequest(`${galley.base}/api/v1/documents`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.once('error', reject);
    });
    sent.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="slow.png"\r\n\r\n');
    sent.write(pngBytes('slow', 5_000));
    await vi.waitFor(async () => expect((await galley.storedFiles()).length).toBe(1));
    const stopped = galley.server.stop();
    await expect(fetch(`${galley.base}/healthz`)).rejects.toThrow(/fetch failed/);
    sent.end('\r\n--edge--\r\n');
    const response = await answered;
    expect(response.statusCode).toBe(202);
    expect(submitDocumentsSchema.parse(JSON.parse(await text(response))).documents).toHaveLength(1);
    await stopped;
    await galley.stop();
  });

  test('may be asked for twice', async () => {
    const galley = await TestServer.start();
    await Promise.all([galley.server.stop(), galley.server.stop()]);
    await galley.stop();
  });
});
