import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../testing/scheduler.ts';
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

it('leaves no process and no folder where its own process ends without stopping it', async () => {
  const code = `
    import { startTemporaryRedisServer } from '@galley/core';
    process.once('SIGTERM', () => process.exit(1));
    const { pid, directory } = await startTemporaryRedisServer();
    console.log(JSON.stringify([String(pid), directory]));
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line = ''] = (await once(createInterface({ input: child.stdout }), 'line')).map(String);
  const [pid = '', directory = ''] = [JSON.parse(line)].flat().map(String);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(1);
  await until('the server is gone', async () => (await identifyProcess(Number(pid))) === null);
  await expect(access(directory)).rejects.toMatchObject({ code: 'ENOENT' });
});
