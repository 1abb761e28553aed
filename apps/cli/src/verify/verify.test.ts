import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startRedisServer } from '@galley/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { galley, Stage } from '../testing/stage.ts';

// Worker processes and the command itself start slowly on a machine that is busy with other things.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

async function open(shards: number): Promise<Stage> {
  const stage = await Stage.open(shards);
  stages.push(stage);
  return stage;
}

describe('galley verify', () => {
  test('says parallel of several workers on several shards, with every check seen, and leaves nothing behind', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    await stage.submit(2_000);
    const { code, out, errors } = await stage.verify('--seconds', '3');
    expect(errors).toBe('');
    expect(out).toContain('Verdict on pages: parallel.');
    expect(out).not.toMatch(/FAULT|SERIAL|not seen/);
    expect(out).toMatch(/shards take turns \(MONITOR\) +ok +8 of 8 shards/);
    expect(out).toMatch(/1 worker against 2 on the same load +ok/);
    expect(code).toBe(0);
    expect(await stage.connection.client.keys('*verify-*')).toEqual([]);
    expect(await stage.connection.client.smembers('galley:queues')).toEqual(['pages']);
  });

  test('says at once that nothing listens at the address', async () => {
    const stage = await open(1);
    await stage.redis.kill9();
    expect(await stage.verify('--seconds', '1')).toMatchObject({ code: 1, errors: expect.stringContaining('the connection was refused') });
  });

  test('ends in a sentence when Redis goes away and stays away, in JSON where it is asked to', async () => {
    const stage = await open(1);
    const answer = stage.verify('--seconds', '30', '--no-trial', '--json');
    await vi.waitUntil(async () => String(await stage.connection.client.client('LIST')).includes('cmd=monitor'), { timeout: 30_000 });
    await stage.redis.kill9();
    const { code, out, errors } = await answer;
    expect(JSON.parse(out)).toEqual({
      error: { code: 'redis_unavailable', detail: expect.stringContaining('went away while it was watched') },
    });
    expect([errors, code]).toEqual(['', 1]);
  });

  test.each([
    ['one shard and one slot', 1],
    ['eight shards and one slot', 8],
  ])('says serial of a deliberately serial set-up: %s', async (_, shards) => {
    const stage = await open(shards);
    await stage.work({ workers: 1, slots: 1, taskMs: 50 });
    await stage.submit(500);
    const { code, out } = await stage.verify('--seconds', '2');
    expect(out).toContain('Verdict on pages: serial.');
    expect(out).toMatch(/tasks run side by side +SERIAL +at most 1, 1\.0 on average, of 1 slots? of 1 worker/);
    expect(out).toContain('one worker with one slot: there is nothing to compare');
    expect(code).toBe(1);
  });

  test('says serial of a set-up where all tasks share a concurrency key, whatever its slots', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    await Promise.all(
      Array.from({ length: 300 }, () => stage.queue.submit('wait', null, { concurrencyKey: 'engine', concurrencyLimit: 1 })),
    );
    const { code, out } = await stage.verify('--seconds', '2', '--no-trial');
    expect(out).toContain('Verdict on pages: serial.');
    expect(code).toBe(1);
  });

  test('says that it has seen nothing where nothing runs', async () => {
    const stage = await open(8);
    await stage.work({ workers: 1, slots: 2, taskMs: 50 });
    const { code, out } = await stage.verify('--seconds', '1', '--no-trial');
    expect(out).toContain('Verdict on pages: nothing seen.');
    expect(code).toBe(1);
  });

  test('finds a lock key that never expires, though its task is not running', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    const [id = ''] = await stage.submit(500);
    const lock = `${stage.queue.shardOf(id)?.keys.locks ?? ''}forgotten`;
    await stage.connection.client.set(lock, 'worker#1');
    const { code, out } = await stage.verify('--seconds', '1', '--no-trial');
    expect(out).toContain('Verdict on pages: at fault.');
    expect(out).toContain('the lock key of forgotten has no TTL');
    expect(out).toContain('forgotten has a lock key and is not running');
    expect(code).toBe(1);
  });

  test('finds TTLs past the lease', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    await stage.submit(500);
    const { code, out } = await stage.verify('--seconds', '1', '--no-trial', '--lease-ms', '1000');
    expect(out).toMatch(/Verdict on pages: at fault\. every PTTL within \(0, 1000\]: .*past the lease of 1000 ms/);
    expect(code).toBe(1);
  });

  test('finds two runs of a task that overlap in the logs', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    const [id = ''] = await stage.submit(500);
    const now = Date.now();
    const line = (fence: number, from: number, to: number): string =>
      `${JSON.stringify({ event: 'lock released', task: id, shard: id.split('-')[1], worker: `w${fence}`, fence, start: new Date(now + from).toISOString(), end: new Date(now + to).toISOString(), outcome: 'completed' })}\n`;
    await appendFile(path.join(stage.logDirectory, 'worker-9.log'), line(1, 0, 2_000) + line(2, 1_500, 2_500));
    const { code, out } = await stage.verify('--seconds', '2', '--no-trial');
    expect(out).toContain(`${id} ran twice at once, fence 1 by w1 and 2 by w2`);
    expect(code).toBe(1);
  });

  test('answers in JSON where it is asked to', async () => {
    const stage = await open(8);
    await stage.work({ workers: 2, slots: 2, taskMs: 50 });
    await stage.submit(500);
    const { out } = await stage.verify('--seconds', '1', '--no-trial', '--json');
    expect(JSON.parse(out)).toMatchObject({ queues: [{ queue: 'pages', verdict: 'parallel' }] });
    const missing = await stage.verify('--queue', 'letters', '--json');
    expect(JSON.parse(missing.out)).toMatchObject({ error: { code: 'queue_not_found', detail: expect.stringContaining('letters') } });
    expect([missing.errors, missing.code]).toEqual(['', 1]);
  });

  test("finds Galley's own Redis by its data directory", async () => {
    const stage = await open(1);
    await mkdir(path.join(stage.dataDirectory, 'redis'));
    const server = await startRedisServer({ directory: path.join(stage.dataDirectory, 'redis'), appendfsync: 'everysec' });
    try {
      const { code, errors } = await galley(['verify', '--seconds', '1'], { GALLEY_DATA_DIR: stage.dataDirectory });
      expect(errors).toContain('There is no queue yet');
      expect(code).toBe(1);
    } finally {
      await server.stop();
    }
    const gone = await galley(['verify'], { GALLEY_DATA_DIR: stage.dataDirectory });
    expect(gone.errors).toContain(`No Redis of Galley's own runs in ${stage.dataDirectory}. Start Galley (npm start)`);
    expect(gone.code).toBe(1);
  });
});

describe('the galley command', () => {
  test.each([
    [['verify', '--secs', '3', '--json'], 'invalid_request', "Unknown option '--secs'"],
    [['verify', '--json', '--redis', 'http://:secret@nowhere'], 'invalid_request', 'is no Redis address'],
    [['verify', '--json', '--data-dir', '/nowhere'], 'redis_unavailable', "No Redis of Galley's own runs in /nowhere"],
    [['verfy', '--json'], 'invalid_request', 'galley has no command "verfy"'],
  ])('tells in JSON too what kept it from an answer: %j', async (args, errorCode, words) => {
    const { code, out, errors } = await galley(args);
    expect(JSON.parse(out)).toEqual({ error: { code: errorCode, detail: expect.stringContaining(words) } });
    expect(out).not.toContain('secret@');
    expect([errors, code]).toEqual(['', 1]);
  });

  test.each([
    [['--help'], 0, 'Use it like this: galley <command>'],
    [['verify', '--help'], 0, 'galley verify [options]'],
    [[], 1, 'Use it like this: galley <command>'],
    [['verfy'], 1, 'galley has no command "verfy".'],
    [['verify', '--seconds', 'ten'], 1, '--seconds is "ten"; it takes a whole number from 1 to 3600.'],
    [['verify', '--redis', 'http://:secret@nowhere'], 1, '***@nowhere" is no Redis address'],
  ])('answers %j with %i', async (args, code, words) => {
    const answer = await galley(args);
    expect(answer.out + answer.errors).toContain(words);
    expect(answer.code).toBe(code);
    expect(answer.out + answer.errors).not.toContain('secret@');
  });
});
