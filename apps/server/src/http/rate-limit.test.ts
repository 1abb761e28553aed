import { problemSchema } from '@galley/contract';
import { connectRedis, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateKey } from '../redis/keys.ts';
import { RedisWatch } from '../redis/redis-watch.ts';
import { TestServer } from '../testing/start.ts';
import { RedisRateStore } from './rate-store.ts';

let redis: TemporaryRedisServer;
beforeAll(async () => {
  redis = await startTemporaryRedisServer();
});
afterAll(() => redis.stop());

test('two servers over one Redis count together, and say when to come back', async () => {
  const first = await TestServer.start({ GALLEY_RATE_LIMIT: '3' });
  const second = await TestServer.beside(first, { GALLEY_RATE_LIMIT: '3' });
  const statuses = [];
  for (const server of [first, second, first, second, first]) statuses.push((await server.call('GET', '/api/v1/queues')).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  const refused = await second.call('GET', '/docs');
  expect([refused.status, problemSchema.parse(refused.body).code]).toEqual([429, 'rate_limited']);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  expect((await second.call('GET', '/healthz')).status).toBe(200);
  await second.stop();
  await first.stop();
});

test('most requests ask Redis nothing, none is counted twice, and the count ends with its minute', async () => {
  const connection = connectRedis(redis.url);
  const watch = new RedisWatch(connection);
  await connection.client.ping();
  let now = 1_000_000;
  const store = () => new RedisRateStore({ connection, redis: watch, limit: 1_000, windowMs: 60_000, now: () => now });
  const [one, other] = [store(), store()];
  const hits = await Promise.all(Array.from({ length: 25 }, () => one.increment('10.0.0.1')));
  expect(hits.map((hit) => hit.totalHits)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(await connection.client.get(rateKey('10.0.0.1'))).toBe('30');
  // The other server begins behind what the first has taken.
  expect((await other.increment('10.0.0.1')).totalHits).toBe(31);
  expect((await one.increment('10.0.0.2')).totalHits).toBe(1);
  expect(await connection.client.pttl(rateKey('10.0.0.1'))).toBeGreaterThan(0);
  await connection.client.del(rateKey('10.0.0.1'));
  now += 60_001;
  expect((await one.increment('10.0.0.1')).totalHits).toBe(1);
  await connection.close();
});

test('while Redis is away a server goes on counting by itself', async () => {
  const own = await startTemporaryRedisServer();
  const connection = connectRedis(own.url);
  await connection.client.ping();
  const store = new RedisRateStore({ connection, redis: new RedisWatch(connection), limit: 2, windowMs: 60_000 });
  expect((await store.increment('a')).totalHits).toBe(1);
  const away = new Promise<void>((resolve) => {
    connection.onAvailability((up) => {
      if (!up) resolve();
    });
  });
  await own.stop();
  await away;
  expect([(await store.increment('a')).totalHits, (await store.increment('a')).totalHits]).toEqual([2, 3]);
  await connection.close();
});
