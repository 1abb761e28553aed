import { access } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identifyProcess } from './process-identity.ts';
import { startTemporaryRedisServer, type TemporaryRedisServer } from './temporary-redis-server.ts';

let server: TemporaryRedisServer;
let client: Redis;

beforeEach(async () => {
  server = await startTemporaryRedisServer({ appendfsync: 'always' });
  client = new Redis({ path: server.socketPath });
  client.on('error', () => undefined);
});
afterEach(async () => {
  client.disconnect();
  await server.stop();
});

it('has its data again after kill -9 and a restart', async () => {
  await client.set('dish', 'soup');
  await server.kill9();
  await server.restart();
  expect(await client.get('dish')).toBe('soup');
});

it('answers nothing while it is paused, and everything after', async () => {
  server.pause();
  let answered = false;
  const answer = client.ping().then((word) => {
    answered = true;
    return word;
  });
  const impatient = new Redis({ path: server.socketPath, commandTimeout: 100, retryStrategy: () => null });
  impatient.on('error', () => undefined);
  await expect(impatient.ping()).rejects.toThrow(/timed out/i);
  impatient.disconnect();
  expect(answered).toBe(false);
  server.resume();
  expect(await answer).toBe('PONG');
});

it('leaves no process and no folder', async () => {
  const { pid, directory } = server;
  await server.stop();
  expect(await identifyProcess(pid)).toBeNull();
  await expect(access(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});
