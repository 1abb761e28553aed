import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RedisServer, type RedisServerExit, startRedisServer } from './index.ts';
import { identifyProcess } from './process-identity.ts';

const LAUNCHER = path.resolve(import.meta.dirname, '../../dist/redis-server/index.js');

describe('startRedisServer', () => {
  let base: string;
  let directory: string;
  let servers: RedisServer[];
  let launchers: ChildProcess[];

  beforeEach(async () => {
    base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'galley-server-')));
    directory = path.join(base, 'redis');
    servers = [];
    launchers = [];
  });

  afterEach(async () => {
    for (const launcher of launchers) launcher.kill('SIGKILL');
    await Promise.all(servers.map((server) => server.stop()));
    const left = servers.map((server) => server.pid);
    await rm(base, { recursive: true, force: true });
    for (const pid of left) expect(await identifyProcess(pid)).toBeNull();
  });

  async function start(overrides: { directory?: string; appendfsync?: 'always' | 'everysec' } = {}): Promise<RedisServer> {
    const server = await startRedisServer({ directory, appendfsync: 'always', ...overrides });
    servers.push(server);
    return server;
  }

  /** Starts a launcher in a process of its own; resolves with what it printed of its server. */
  async function launch(): Promise<{ launcher: ChildProcess; pid: number; adopted: boolean }> {
    const code = `import { startRedisServer } from ${JSON.stringify(LAUNCHER)};
      const server = await startRedisServer({ directory: ${JSON.stringify(directory)}, appendfsync: 'always' });
      console.log(JSON.stringify({ pid: server.pid, adopted: server.adopted }));`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    launchers.push(launcher);
    const lines = readline.createInterface({ input: launcher.stdout });
    const [line] = await once(lines, 'line');
    return { launcher, ...JSON.parse(line) };
  }

  async function withClient<Answer>(server: RedisServer, use: (client: Redis) => Promise<Answer>): Promise<Answer> {
    const client = new Redis({ path: server.socketPath });
    // Refused connections are what some of these tests are about; the client tries again.
    client.on('error', () => undefined);
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  }

  it('runs a Redis that only this user reaches and that writes every answer to disk', async () => {
    const server = await start();
    expect(server.url).toBe(`unix:${directory}/redis.sock`);
    expect(server.adopted).toBe(false);
    const settings = await withClient(server, async (client) => {
      const names = ['port', 'unixsocketperm', 'appendonly', 'appendfsync', 'maxmemory-policy', 'save', 'dir'];
      return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await value(client, name)])));
    });
    expect(settings).toEqual({
      port: '0',
      unixsocketperm: '700',
      appendonly: 'yes',
      appendfsync: 'always',
      'maxmemory-policy': 'noeviction',
      save: '',
      dir: directory,
    });
  });

  it('leaves nothing but its data behind when it is stopped, and finds that data again', async () => {
    const first = await start();
    await withClient(first, (client) => client.set('dish', 'soup'));
    await first.stop();
    expect((await readdir(directory)).sort()).toEqual(['appendonlydir', 'redis.log']);
    const second = await start();
    expect(await withClient(second, (client) => client.get('dish'))).toBe('soup');
  });

  it('adopts the server of a launcher that was killed, and stops it in the end', async () => {
    const { launcher, pid } = await launch();
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    const server = await start({ appendfsync: 'everysec' });
    expect(server).toMatchObject({ adopted: true, pid });
    expect(await withClient(server, (client) => value(client, 'appendfsync'))).toBe('everysec');
    await server.stop();
    expect(await identifyProcess(pid)).toBeNull();
  });

  it('adopts a server even when the record of it is lost', async () => {
    const { launcher, pid } = await launch();
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    await rm(path.join(directory, 'redis-server.json'));
    expect(await start()).toMatchObject({ adopted: true, pid });
  });

  it('refuses a second launcher on the directory, in another process and in the same one', async () => {
    const { launcher } = await launch();
    await expect(start()).rejects.toMatchObject({
      code: 'lock_contention',
      message: expect.stringContaining(`${directory} is in use by process ${launcher.pid}`),
    });
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'lock_contention' });
  });

  it('lets exactly one of several launchers take over a lock that was left', async () => {
    const first = await start();
    await first.stop();
    // The pid of this test, but of another process: as after a reboot.
    await writeFile(path.join(directory, 'launcher.lock'), JSON.stringify({ pid: process.pid, startedAt: 'another/1' }));
    const answers = await Promise.allSettled([start(), start(), start(), start()]);
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
  });

  it('takes over a lock that cannot be read', async () => {
    const first = await start();
    await first.stop();
    await writeFile(path.join(directory, 'launcher.lock'), '{"pid":');
    await start();
  });

  it('starts it again after kill -9, with all that was answered', async () => {
    const server = await start();
    const { pid } = server;
    const ended = nextExit(server);
    await withClient(server, (client) => client.set('dish', 'soup'));
    process.kill(pid, 'SIGKILL');
    expect(await ended).toEqual({ reason: `Redis (process ${pid}) ended unexpectedly: SIGKILL.`, restarting: true });
    // The client's own reconnecting is what waits for the new server here.
    expect(await withClient(server, (client) => client.get('dish'))).toBe('soup');
    // It answers its clients a moment before the launcher has seen that it does.
    await vi.waitFor(() => expect(server.pid).not.toBe(pid));
  });

  it('starts an adopted server again after kill -9', async () => {
    const { launcher, pid } = await launch();
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    const server = await start();
    await withClient(server, (client) => client.set('dish', 'soup'));
    const ended = nextExit(server);
    process.kill(pid, 'SIGKILL');
    expect(await ended).toMatchObject({ restarting: true });
    expect(await withClient(server, (client) => client.get('dish'))).toBe('soup');
  });

  it('keeps the socket in a short place when the directory is deep, and adopts it there', async () => {
    directory = path.join(base, 'a-rather-long-name-of-a-folder'.repeat(3), 'redis');
    const { launcher, pid } = await launch();
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    const server = await start();
    expect(server).toMatchObject({ adopted: true, pid });
    expect(Buffer.byteLength(server.socketPath)).toBeLessThan(100);
    expect(await withClient(server, (client) => client.ping())).toBe('PONG');
    await server.stop();
    await expect(readdir(path.dirname(server.socketPath))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says why it cannot start, with the log, and frees the directory', async () => {
    const server = await start();
    await withClient(server, (client) => client.set('dish', 'soup'));
    await server.stop();
    const manifest = path.join(directory, 'appendonlydir', 'appendonly.aof.manifest');
    await writeFile(manifest, 'not a manifest\n');
    await expect(start()).rejects.toMatchObject({
      code: 'redis_unavailable',
      message: expect.stringMatching(/ended while it started[^]*manifest/),
    });
    expect((await readdir(directory)).includes('launcher.lock')).toBe(false);
  });
});

async function value(client: Redis, name: string): Promise<unknown> {
  const answer: unknown = await client.config('GET', name);
  return Array.isArray(answer) ? answer[1] : Object.values(answer as object)[0];
}

function nextExit(server: RedisServer): Promise<RedisServerExit> {
  return new Promise((resolve) => server.onExit(resolve));
}
