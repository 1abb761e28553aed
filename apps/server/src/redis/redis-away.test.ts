import { readinessSchema } from '@galley/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
beforeEach(async () => {
  galley = await TestServer.start();
});
afterEach(() => galley.stop());

const ready = async () => {
  const answer = await galley.call('GET', '/readyz');
  return { ...readinessSchema.parse(answer.body), status: answer.status };
};

/** How long a call takes to be answered, in milliseconds, and how. */
async function timed(call: () => Promise<{ status: number }>): Promise<{ status: number; took: number }> {
  const began = performance.now();
  const { status } = await call();
  return { status, took: performance.now() - began };
}

describe('while Redis is away', () => {
  test('everything that needs it is refused at once, and served again soon after its return', async () => {
    expect(await ready()).toMatchObject({ status: 200, redis: 'up' });
    await galley.redis.kill9();
    await vi.waitFor(async () =>
      expect(await ready()).toMatchObject({ status: 503, redis: 'away', reason: expect.stringContaining('Redis does not answer') }),
    );
    for (const call of [
      () => galley.call('GET', '/api/v1/tasks'),
      () => galley.call('GET', '/api/v1/queue'),
      () => galley.call('POST', '/api/v1/tasks', { image_url: 'https://pictures.example/1.png' }),
      () => galley.upload([{ name: 'a.png', bytes: pngBytes('away') }]),
    ]) {
      const { status, took } = await timed(call);
      expect(status).toBe(503);
      expect(took).toBeLessThan(2_000);
    }
    expect(await galley.call('GET', '/api/v1/queue')).toMatchObject({ body: { code: 'redis_unavailable' } });
    expect((await galley.call('GET', '/healthz')).status).toBe(200);
    expect((await galley.call('GET', '/metrics')).body).toContain('galley_redis_up 0');
    expect((await galley.storedFiles()).length).toBe(0);
    await galley.redis.restart();
    await vi.waitFor(async () => expect((await ready()).redis).toBe('up'), { timeout: 3_000, interval: 50 });
    expect((await galley.upload([{ name: 'a.png', bytes: pngBytes('back') }])).status).toBe(202);
  });

  test('a request under way when it freezes is refused and never hangs', async () => {
    galley.redis.pause();
    const { status, took } = await timed(() => galley.call('GET', '/api/v1/queue'));
    expect(status).toBe(503);
    expect(took).toBeLessThan(8_000);
    expect((await ready()).status).toBe(503);
    galley.redis.resume();
    await vi.waitFor(async () => expect((await ready()).status).toBe(200), { timeout: 3_000, interval: 50 });
    expect((await galley.call('GET', '/api/v1/queue')).status).toBe(200);
  });

  test('the server stops in order all the same', async () => {
    await galley.redis.kill9();
    const began = performance.now();
    await galley.server.stop();
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
