import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findFreePort } from './port.mjs';

const LAUNCHER = path.resolve(import.meta.dirname, '../testing/launch.mjs');

/**
 * @typedef {{ redis: number, server: number, workers: number[] }} Pids
 * @typedef {object} Launch
 * @property {import('node:child_process').ChildProcess} process
 * @property {string[]} lines what it has printed so far
 * @property {Promise<{ address: string, pids: Pids }>} ready
 * @property {Promise<number | null>} ended its exit code
 */

/** @type {string} */
let directory;
/** @type {number} */
let port;
/** @type {Launch[]} */
let launches;

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'galley-stack-'));
  port = await findFreePort();
  launches = [];
});

afterEach(async () => {
  for (const launch of launches) launch.process.kill('SIGTERM');
  await Promise.all(launches.map((launch) => launch.ended));
  // What a killed launcher left behind stops by itself, and nobody waits for it but us.
  await vi.waitFor(async () => expect(await processesOf(directory)).toEqual([]), 5_000);
  await rm(directory, { recursive: true, force: true });
});

/**
 * @param {Record<string, string>} [environment]
 * @returns {Launch}
 */
function launch(environment = {}) {
  const child = spawn(process.execPath, [LAUNCHER], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GALLEY_DATA_DIR: directory, GALLEY_PORT: String(port), GALLEY_WORKERS: '2', ...environment },
  });
  /** @type {string[]} */
  const lines = [];
  const ready = new Promise((/** @type {(value: { address: string, pids: Pids }) => void} */ resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      readline.createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('{')) resolve(JSON.parse(line));
      });
    }
  });
  const ended = once(child, 'close').then(([code]) => code);
  const launched = { process: child, lines, ready, ended };
  launches.push(launched);
  return launched;
}

/**
 * The processes whose command line or environment names the test's own folder.
 * @param {string} folder
 */
async function processesOf(folder) {
  // Without /proc, as on macOS, there is no looking; the stack's own waiting for its children is what is left.
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const texts = await Promise.all(['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')));
      return texts.some((text) => text.includes(folder)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** What each worker noted when it stopped. */
async function workerNotes() {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.stopped'));
  return await Promise.all(names.map(async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8'))));
}

/**
 * The processes of the workers that have reported.
 * @param {string} address
 * @returns {Promise<number[]>}
 */
async function workersOf(address) {
  const response = await fetch(`${address}/api/v1/workers`);
  const { workers } = /** @type {{ workers: { pid: number }[] }} */ (await response.json());
  return workers.map(({ pid }) => pid);
}

it('starts Redis, server and workers, passes them what they need, and stops in order', async () => {
  const { ready, process: launcher, ended, lines } = launch({ FAKE_WORKER_STOP_MS: '150' });
  const { address, pids } = await ready;
  expect(address).toBe(`http://127.0.0.1:${port}`);
  expect(pids.workers).toHaveLength(2);
  const answer = await fetch(`${address}/readyz`).then((response) => response.json());
  expect(answer).toEqual({ redis: `unix:${directory}/redis/redis.sock`, data: directory, workers: null });
  expect(lines).toContain('server: warning: a warning for the terminal');
  expect(lines.join('\n')).not.toContain('claiming');
  expect(await readFile(path.join(directory, 'logs/worker-1.log'), 'utf8')).toContain('claiming');
  launcher.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(await workerNotes()).toEqual([
    { why: 'SIGTERM', redisLives: true },
    { why: 'SIGTERM', redisLives: true },
  ]);
  expect(await readdir(path.join(directory, 'redis'))).toEqual(['appendonlydir', 'redis.log']);
});

it('starts a program again when it dies', async () => {
  const { ready, lines } = launch();
  const { address, pids } = await ready;
  process.kill(pids.server, 'SIGKILL');
  await vi.waitFor(() => expect(lines).toContain('warning: server ended unexpectedly (SIGKILL) and is started again.'), 5_000);
  await vi.waitFor(async () => expect((await fetch(`${address}/readyz`)).status).toBe(200), 5_000);
});

it('starts Redis again when it dies', async () => {
  const { ready, lines } = launch();
  const { pids } = await ready;
  process.kill(pids.redis, 'SIGKILL');
  await vi.waitFor(() => expect(lines.join('\n')).toMatch(/Redis runs again \(process \d+\)/), 5_000);
});

it('starts a worker again for ever, and keeps the rest', { timeout: 60_000 }, async () => {
  const { ready, lines, process: launcher, ended } = launch({ GALLEY_WORKERS: '1' });
  const { address } = await ready;
  for (let death = 1; death <= 6; death += 1) {
    const pid = await vi.waitFor(async () => {
      const [worker] = await workersOf(address);
      return worker ?? expect.fail('no worker yet');
    }, 10_000);
    process.kill(pid, 'SIGKILL');
    await rm(path.join(directory, `worker-${pid}.claiming`));
    await vi.waitFor(
      () => expect(lines.filter((line) => line.startsWith('warning: worker-1 ended unexpectedly'))).toHaveLength(death),
      10_000,
    );
  }
  expect(lines).toContain(
    `warning: worker-1 ended unexpectedly (SIGKILL) and is started again in 3.2 s, 6 times in a row now; its log is ${directory}/logs/worker-1.log.`,
  );
  await vi.waitFor(async () => expect(await workersOf(address)).toHaveLength(1), 10_000);
  launcher.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it.each([
  ['1', /^server does not run \(exit code 1 before Galley was ready\)\. Why is said above; all of it is in .*server\.log\.$/m],
  ['2', /^server does not run as it is set up \(exit code 2\)\. Why is said above; all of it is in .*server\.log\.$/m],
])('ends the start with the last words of a program that ends with %s before all is ready', async (code, sentence) => {
  const { ended, lines } = launch({ FAKE_SERVER_FAULT: 'no soup today', FAKE_SERVER_EXIT: code });
  expect(await ended).toBe(1);
  expect(lines.join('\n')).toMatch(sentence);
  expect(lines.filter((line) => line.includes('no soup today'))).toEqual(['server: error: cannot start (no soup today)']);
});

it('asks about the settings before it starts anything', async () => {
  const { ended, lines } = launch({ FAKE_SETTINGS_FAULT: 'GALLEY_SOUP is "cold"; it takes hot.' });
  expect(await ended).toBe(1);
  expect(lines).toEqual(['GALLEY_SOUP is "cold"; it takes hot.']);
  expect(await readdir(directory)).toEqual(['logs']);
});

it('does not wait for workers that it may not see', async () => {
  const { ready } = launch({ FAKE_TOKENS: 'yes' });
  expect((await ready).pids.workers).toHaveLength(2);
});

it('ends at once on a second signal', async () => {
  const { ready, process: launcher, ended, lines } = launch({ FAKE_WORKER_STOP_MS: '60000' });
  await ready;
  launcher.kill('SIGINT');
  await vi.waitFor(() => expect(lines.join('\n')).toContain('Stopping'));
  // npm passes on what the terminal has sent already, so a second one counts only after a moment.
  launcher.kill('SIGINT');
  const ending = 'Ending at once; unfinished tasks run again after the next start.';
  await vi.waitFor(() => {
    // One sent to a launcher that has just ended would be what ends it.
    if (!lines.includes(ending)) launcher.kill('SIGINT');
    expect(lines).toContain(ending);
  }, 5_000);
  expect(await ended).toBe(0);
  expect(await workerNotes()).toEqual([]);
});

it('ends a worker that passes its grace period', async () => {
  const { ready, process: launcher, ended, lines } = launch({ FAKE_WORKER_STOP_MS: '60000', GALLEY_GRACE_MS: '0', GALLEY_WORKERS: '1' });
  await ready;
  launcher.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(lines).toContain('worker-1 did not stop within 5 s and is ended.');
});

it('leaves only Redis behind when it is killed, and the next start uses that', async () => {
  const first = launch();
  const { pids } = await first.ready;
  first.process.kill('SIGKILL');
  await first.ended;
  const second = launch();
  const again = await second.ready;
  expect(again.pids.redis).toBe(pids.redis);
  expect(second.lines).toContain(`Found the Redis of an earlier start still running (process ${pids.redis}); using it.`);
  await vi.waitFor(async () => expect(await workerNotes()).toEqual(Array(2).fill({ why: 'disconnect', redisLives: true })), 5_000);
});

it('refuses a second start on the same data directory', async () => {
  const first = launch();
  await first.ready;
  const second = launch({ GALLEY_PORT: String(await findFreePort()) });
  expect(await second.ended).toBe(1);
  expect(second.lines.join('\n')).toMatch(/is in use by process \d+\. Stop that Galley first, or give this one another GALLEY_DATA_DIR\.$/);
});

it('says that its port is busy and how to choose another', async () => {
  const other = net.createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const { ended, lines } = launch();
  expect(await ended).toBe(1);
  other.close();
  expect(lines).toEqual([
    `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or choose another: GALLEY_PORT=${port + 1} npm start`,
  ]);
});

it('can be stopped while it starts', async () => {
  const { process: launcher, ended, lines } = launch({ FAKE_NEVER_READY: 'yes' });
  await vi.waitFor(() => expect(lines).toContain('server: warning: a warning for the terminal'), 10_000);
  launcher.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(lines).toEqual([expect.any(String), expect.stringMatching(/^Stopping/)]);
});

it.each([
  ['GALLEY_PORT', 'soup', /GALLEY_PORT is "soup"; it takes a whole number from 1 to 65535\. Left out, it is 7300\./],
  ['GALLEY_WORKERS', '-1', /GALLEY_WORKERS is "-1"/],
  ['GALLEY_REDIS_APPENDFSYNC', 'no', /takes always or everysec/],
])('refuses %s=%s with a sentence', async (name, value, sentence) => {
  const { ended, lines } = launch({ [name]: value });
  expect(await ended).toBe(1);
  expect(lines.join('\n')).toMatch(sentence);
});
