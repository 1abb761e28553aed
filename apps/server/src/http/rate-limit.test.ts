import { problemSchema } from '@galley/contract';
import { connectRedis, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateKey } from '../redis/keys.ts';
import { RedisWatch } from '../redis/redis-watch.ts';
import { hashToken } from '../session/tokens.ts';
import { TestServer } from '../testing/start.ts';
import { RateCounter } from './rate-counter.ts';

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
  const store = () => new RateCounter({ connection, redis: watch, limit: 1_000, windowMs: 60_000, now: () => now });
  const [one, other] = [store(), store()];
  const hits = await Promise.all(Array.from({ length: 25 }, async () => one.count('10.0.0.1')));
  expect(hits.map((hit) => hit.count)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(await connection.client.get(rateKey('10.0.0.1'))).toBe('30');
  // The other server begins behind what the first has taken.
  expect((await other.count('10.0.0.1')).count).toBe(31);
  expect((await one.count('10.0.0.2')).count).toBe(1);
  expect(await connection.client.pttl(rateKey('10.0.0.1'))).toBeGreaterThan(0);
  await connection.client.del(rateKey('10.0.0.1'));
  now += 60_001;
  expect((await one.count('10.0.0.1')).count).toBe(1);
  await connection.close();
});

test('while Redis is away a server goes on counting by itself', async () => {
  const own = await startTemporaryRedisServer();
  const connection = connectRedis(own.url);
  await connection.client.ping();
  const store = new RateCounter({ connection, redis: new RedisWatch(connection), limit: 2, windowMs: 60_000 });
  expect((await store.count('a')).count).toBe(1);
  const away = new Promise<void>((resolve) => {
    connection.onAvailability((up) => {
      if (!up) resolve();
    });
  });
  await own.stop();
  await away;
  expect([(await store.count('a')).count, (await store.count('a')).count]).toEqual([2, 3]);
  await connection.close();
});

test('a user has a limit of their own, whatever they come with; who is nobody has that of their address', async () => {
  const entry = (token: string, user: string): string => `${hashToken(token).toString('hex')} ${user} user`;
  const tokens = [entry('secret-of-ann-1', 'ann'), entry('secret-of-ann-2', 'ann'), entry('secret-of-bob', 'bob')].join(',');
  const galley = await TestServer.start({ GALLEY_RATE_LIMIT: '3', GALLEY_TOKENS: tokens });
  const ask = async (headers: Readonly<Record<string, string>>) => (await galley.call('GET', '/api/v1/queues', undefined, headers)).status;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const session = await galley.call('POST', '/api/v1/session', { token: 'secret-of-ann-1' });
  const cookie = { cookie: session.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
  const ofAnn = [bearer('secret-of-ann-1'), bearer('secret-of-ann-2'), cookie, cookie, bearer('secret-of-ann-1')];
  const statuses = [];
  for (const headers of ofAnn) statuses.push(await ask(headers));
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  // The log-in above was of nobody yet.
  expect([await ask({}), await ask(bearer('guessed'))]).toEqual([401, 401]);
  expect([await ask({}), await ask({ cookie: 'galley_session=guessed' })]).toEqual([429, 429]);
  const last = await galley.call('GET', '/api/v1/queues', undefined, bearer('secret-of-bob'));
  expect([last.status, last.headers.get('ratelimit-policy')]).toEqual([200, '"requests";q=3;w=60']);
  expect(last.headers.get('ratelimit')).toMatch(/^"requests";r=2;t=\d+$/);
  await galley.stop();
});
