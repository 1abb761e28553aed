import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

/** The built program: Node runs no TypeScript, and what is shipped is what is tested. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let redis: TemporaryRedisServer;
let directory: string;
let child: ChildProcess | null = null;

beforeAll(async () => {
  [redis, directory] = await Promise.all([startTemporaryRedisServer(), mkdtemp('/tmp/galley-main-')]);
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = null;
});
afterAll(async () => {
  await redis.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly lines: Record<string, unknown>[];
  /** Everything on standard error. */
  errors(): string;
  /** Resolves when a log line with this message has come. */
  said(message: string): Promise<Record<string, unknown>>;
}

function start(environment: Readonly<Record<string, string>>): Started {
  const { PATH = '' } = process.env;
  const started = fork(PROGRAM, { env: { PATH, GALLEY_PORT: '0', GALLEY_DATA_DIR: directory, ...environment }, silent: true });
  child = started;
  const lines: Record<string, unknown>[] = [];
  let errors = '';
  const waiting = new Set<() => void>();
  started.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let rest = '';
  started.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
    for (const look of waiting) look();
  });
  const said = (message: string): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const line = lines.find((entry) => entry.msg === message);
        if (line === undefined) return;
        waiting.delete(look);
        resolve(line);
      };
      waiting.add(look);
      look();
    });
  return { child: started, lines, errors: () => errors, said };
}

describe('the server as a program', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('logs JSON, is ready, and ends by itself on %s', async (signal) => {
    const started = start({ GALLEY_REDIS_URL: redis.url });
    expect(await started.said('starting')).toMatchObject({ program: 'server', config: { port: 0 } });
    const { address } = await started.said('listening');
    await started.said('ready');
    expect((await fetch(`${String(address)}/readyz`)).status).toBe(200);
    started.child.kill(signal);
    // Not `exit`: what it said last may be on its way still.
    expect(await once(started.child, 'close')).toEqual([0, null]);
    expect(started.lines.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(started.errors()).toBe('');
  });

  test('ends when its launcher is gone', async () => {
    const started = start({ GALLEY_REDIS_URL: redis.url });
    await started.said('ready');
    started.child.disconnect();
    expect(await once(started.child, 'exit')).toEqual([0, null]);
    expect(started.lines.map((line) => line.cause)).toContain('the launcher is gone');
  });

  test('ends when its launcher goes while it is still loading', async () => {
    const started = start({ GALLEY_REDIS_URL: redis.url });
    started.child.disconnect();
    expect(await once(started.child, 'exit')).toEqual([0, null]);
    expect(started.lines.map((line) => line.cause)).toContain('the launcher is gone');
  });

  test('answers before Redis is there, and is ready when it comes', async () => {
    await redis.kill9();
    const started = start({ GALLEY_REDIS_URL: redis.url });
    const { address } = await started.said('listening');
    expect((await fetch(`${String(address)}/healthz`)).status).toBe(200);
    expect((await fetch(`${String(address)}/readyz`)).status).toBe(503);
    expect((await fetch(`${String(address)}/api/v1/queue`)).status).toBe(503);
    await redis.restart();
    await started.said('ready');
    started.child.kill('SIGTERM');
    expect(await once(started.child, 'exit')).toEqual([0, null]);
  });

  test.each([
    [{}, /GALLEY_REDIS_URL is not set/],
    [{ GALLEY_REDIS_URL: 'redis://127.0.0.1', GALLEY_PROT: '1' }, /GALLEY_PROT: no setting has this name/],
    [{ GALLEY_REDIS_URL: 'redis://127.0.0.1', GALLEY_HOST: '0.0.0.0' }, /Set GALLEY_TOKENS_FILE/],
    [{ GALLEY_REDIS_URL: 'http://127.0.0.1' }, /is no Redis address/],
    [{ GALLEY_REDIS_URL: 'redis://127.0.0.1', GALLEY_TOKENS_FILE: '/nowhere' }, /cannot be read/],
  ])('does not start with %o, and says how to mend it', async (environment, sentence) => {
    const started = start(environment);
    expect(await once(started.child, 'exit')).toEqual([2, null]);
    expect(started.errors()).toMatch(sentence);
    expect(started.errors()).not.toContain('    at ');
  });
});
