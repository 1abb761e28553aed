import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startOldRedis } from './testing/old-redis.ts';
import { pagePicture, tiffOf } from './testing/pictures.ts';
import { SpawnedWorker } from './testing/spawned-worker.ts';
import { Stage } from './testing/stage.ts';

const LEASE_MS = 2_000;
const TEXT = 'A page that took its time';

// Processes that start and pages that are read take long on a machine that is busy with other things.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let stage: Stage;
let site: Site;

/** A site that a document is fetched from, and that answers when the test says so: a task as long as a test needs it. */
class Site {
  readonly #server: Server;
  readonly #asked: ServerResponse[] = [];
  readonly #waiting: ((response: ServerResponse) => void)[] = [];

  constructor() {
    this.#server = createServer((_, response) => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#asked.push(response);
      else next(response);
    });
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/page.png`;
  }

  /** The next request, which waits for its answer. */
  request(): Promise<ServerResponse> {
    const asked = this.#asked.shift();
    return asked === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(asked);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

beforeEach(async () => {
  site = new Site();
  await site.open();
  stage = await Stage.open({
    environment: { GALLEY_LEASE_MS: String(LEASE_MS), GALLEY_URL_ALLOW: '127.0.0.1', GALLEY_GRACE_MS: '60000', GALLEY_LOG_LEVEL: 'debug' },
    settings: { leaseMs: LEASE_MS },
  });
});

afterEach(async () => {
  await stage.close();
  await site.close();
});

/** Submits three pages, and resolves when the first has been read and the second has begun. */
async function readingSecondPage(worker: SpawnedWorker): Promise<string> {
  const page = await pagePicture(Array.from({ length: 14 }, (_, line) => `Line ${line + 1} of a page that takes a while to read`));
  const id = await stage.submitFile(await tiffOf([page, page, page]));
  await worker.said((line) => line['event'] === 'page read' && line['task'] === id);
  return id;
}

async function answer(): Promise<void> {
  const response = await site.request();
  response.end(await pagePicture([TEXT]));
}

describe('a worker that is told to stop in the middle of a task', () => {
  test('finishes it within its grace, and exits by itself', async () => {
    const worker = stage.startWorker();
    await worker.started();
    const id = await stage.submitUrl(site.address);
    await worker.holds(id);
    worker.child.kill('SIGTERM');
    await worker.said((line) => line['event'] === 'worker stops');
    await answer();
    expect(await worker.ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(await stage.inspector.get(id)).toMatchObject({ state: 'completed', attempts: 0, crashes: 0 });
  });

  test('ends by itself though Redis is away, so that nothing can be handed back', async () => {
    const worker = stage.startWorker({ GALLEY_GRACE_MS: '0' });
    await worker.started();
    const id = await stage.submitUrl(site.address);
    await worker.holds(id);
    await stage.redis.kill9();
    await worker.said((line) => line['level'] === 40 && String(line['msg']).startsWith('Redis is away'));
    expect(await worker.stop()).toEqual({ code: 0, signal: null, stderr: '' });
    expect(worker.lines.some((line) => line['event'] === 'runs abandoned')).toBe(true);
    await stage.redis.restart();
    // The stage's own connection is back before it is closed.
    await stage.inspector.counts();
  });

  test('hands it back when its grace is over: at once, with nothing spent, for another to finish', async () => {
    const worker = stage.startWorker({ GALLEY_GRACE_MS: '100' });
    await worker.started();
    const id = await stage.submitUrl(site.address);
    await site.request();
    expect(await worker.stop()).toMatchObject({ code: 0, signal: null });
    expect(await worker.released(id)).toMatchObject({ outcome: 'pending' });
    expect(await stage.inspector.get(id)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0, errors: [] });

    await stage.startWorker().started();
    await answer();
    await stage.reaches(id, 'completed');
    expect((await stage.document(id)).result.text).toBe(TEXT);
  });

  test('hands it back from the middle of a recognition too, and the process survives that', async () => {
    const worker = stage.startWorker({ GALLEY_GRACE_MS: '0' });
    await worker.started();
    const id = await readingSecondPage(worker);
    expect(await worker.stop()).toEqual({ code: 0, signal: null, stderr: '' });
    expect(await stage.inspector.get(id)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0, errors: [] });
  });

  test('hurries when it is told twice', async () => {
    const worker = stage.startWorker();
    await worker.started();
    const id = await stage.submitUrl(site.address);
    await site.request();
    worker.child.kill('SIGINT');
    await worker.said((line) => line['event'] === 'worker stops');
    worker.child.kill('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
    expect(await stage.inspector.get(id)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  test('stops when its launcher is gone', async () => {
    const worker = stage.startWorker({ GALLEY_GRACE_MS: '0' });
    await worker.started();
    const id = await stage.submitUrl(site.address);
    await site.request();
    worker.child.disconnect();
    expect(await worker.ended).toMatchObject({ code: 0, signal: null });
    expect(await stage.inspector.get(id)).toMatchObject({ state: 'pending', attempts: 0, crashes: 0 });
  });
});

test('a worker that is killed in the middle of a task loses it to another, which finishes it', async () => {
  const [first, second] = [stage.startWorker(), stage.startWorker()];
  await Promise.all([first.started(), second.started()]);
  const id = await stage.submitUrl(site.address);
  await site.request();
  const holder = await Promise.race([first.holds(id).then(() => first), second.holds(id).then(() => second)]);
  await holder.kill9();
  const other = holder === first ? second : first;
  await other.holds(id);
  await answer();
  expect(await stage.reaches(id, 'completed')).toMatchObject({ crashes: 1, attempts: 0, fence: 2 });
  expect((await stage.document(id)).result.text).toBe(TEXT);
});

test('a cancel stops a page in the middle of its recognition within a second', async () => {
  const worker = stage.startWorker();
  await worker.started();
  const id = await readingSecondPage(worker);
  const cancelledAt = Date.now();
  await stage.queue.cancel(id);
  const line = await worker.released(id);
  expect(line).toMatchObject({ outcome: 'cancelled' });
  expect(Date.parse(String(line['end'])) - cancelledAt).toBeLessThan(1_000);
  expect(worker.lines.filter((said) => said['event'] === 'page read')).toHaveLength(1);
  expect(await stage.inspector.get(id)).toMatchObject({ state: 'cancelled', attempts: 0 });

  const next = await stage.submitFile(await pagePicture([TEXT]));
  await stage.reaches(next, 'completed');
  expect((await stage.document(next)).result.text).toBe(TEXT);
});

test('a worker whose threads are replaced after each task reads on', async () => {
  const worker = stage.startWorker({ GALLEY_THREAD_TASKS: '1' });
  await worker.started();
  for (const number of [1, 2, 3]) {
    const id = await stage.submitFile(await pagePicture([`${TEXT}, ${number}`]));
    expect(await stage.reaches(id, 'completed')).toMatchObject({ crashes: 0, attempts: 0, fence: 1 });
    expect((await stage.document(id)).result.text).toBe(`${TEXT}, ${number}`);
  }
  expect(await worker.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

describe('a worker that cannot serve', () => {
  async function ending(environment: Readonly<Record<string, string>>) {
    return await new SpawnedWorker(environment).ended;
  }

  test('ends with a sentence that says how to mend its settings', async () => {
    expect(await ending({ GALLEY_REDIS_URL: stage.redis.url, GALLEY_SLOTS: 'many' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Galley's worker cannot run: GALLEY_SLOTS is "many"; it takes a whole number from 1 to 256; .*\n$/),
    });
    expect(await ending({})).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Galley's worker cannot run: GALLEY_REDIS_URL is not set; .*\n$/),
    });
  });

  test('ends with a sentence where Redis is too old', async () => {
    const socketPath = path.join(stage.dataDirectory, 'old.sock');
    const server = await startOldRedis(socketPath);
    expect(await ending({ GALLEY_REDIS_URL: `unix:${socketPath}` })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Galley's worker cannot run: This Redis is version 6\.2\.14; Galley needs Redis 7\.0 .*\n$/),
    });
    server.close();
    await once(server, 'close');
  });

  test('waits for Redis, says so once, and can be stopped while it waits', async () => {
    await stage.redis.kill9();
    const worker = stage.startWorker();
    await worker.said((line) => line['level'] === 40 && line['msg'] === 'Redis is away; it is tried again until it is back');
    expect(await worker.stop()).toEqual({ code: 0, signal: null, stderr: '' });
    await stage.redis.restart();
  });
});
