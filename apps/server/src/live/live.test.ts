import {
  LIVE_NAMESPACE,
  type LiveDeadLetters,
  type LiveOperation,
  type LiveTask,
  type QueueSnapshot,
  SERVER_EVENTS,
  submitDocumentsSchema,
} from '@galley/contract';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as z from 'zod/mini';
import { readsAs, readsTwoPages, refusesAll } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';
import { WATCHES_PER_CLIENT } from './watches.ts';

let galley: TestServer;
const sockets: Socket[] = [];

function connect(options: Parameters<typeof io>[1] = {}): Socket {
  const socket = io(galley.base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, forceNew: true, ...options });
  sockets.push(socket);
  return socket;
}

interface Messages {
  snapshot: QueueSnapshot;
  task: LiveTask;
  dead_letters: LiveDeadLetters;
  operation: LiveOperation;
}

const SCHEMAS: { readonly [Name in keyof Messages]: z.ZodMiniType<Messages[Name]> } = SERVER_EVENTS;

/** The next message of a kind that passes. */
function next<Name extends keyof Messages>(
  socket: Socket,
  name: Name,
  passes: (message: Messages[Name]) => boolean = () => true,
): Promise<Messages[Name]> {
  return new Promise((resolve, reject) => {
    const hear = (event: string, message: unknown): void => {
      if (event !== name) return;
      const parsed = SCHEMAS[name].safeParse(message);
      if (!parsed.success) {
        reject(parsed.error);
      } else if (passes(parsed.data)) {
        socket.offAny(hear);
        resolve(parsed.data);
      }
    };
    socket.onAny(hear);
  });
}

const ask = (socket: Socket, event: string, message: unknown): Promise<{ ok: boolean; problem?: { code: string } }> =>
  socket.timeout(5_000).emitWithAck(event, message);

async function upload(mark: string): Promise<string> {
  const answer = await galley.upload([{ name: `${mark}.png`, bytes: pngBytes(mark) }]);
  return submitDocumentsSchema.parse(answer.body).documents[0]?.task_id ?? '';
}

beforeAll(async () => {
  galley = await TestServer.start();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
});
afterAll(() => galley.stop());

describe('the live stream', () => {
  test('is in its namespace only: elsewhere nobody stays', async () => {
    for (const namespace of ['', '/other']) {
      const socket = io(galley.base + namespace, { transports: ['websocket'], reconnection: false, forceNew: true });
      sockets.push(socket);
      const error = await new Promise((resolve) => socket.once('connect_error', resolve));
      expect(error).toMatchObject(namespace === '' ? { data: { code: 'not_found' } } : { message: 'Invalid namespace' });
      expect(socket.connected).toBe(false);
    }
  });

  test('begins with a whole snapshot and goes on once a second', async () => {
    const socket = connect();
    const first: QueueSnapshot = await next(socket, 'snapshot');
    expect(first).toMatchObject({
      queue: 'ocr',
      paused: false,
      shards: expect.arrayContaining([expect.objectContaining({ shard: '07' })]),
    });
    const second = await next(socket, 'snapshot', (snapshot) => snapshot.at !== first.at);
    const third = await next(socket, 'snapshot', (snapshot) => snapshot.at !== second.at);
    expect(Date.parse(third.at) - Date.parse(second.at)).toBeGreaterThan(300);
    expect(Date.parse(third.at) - Date.parse(second.at)).toBeLessThan(5_000);
  });

  test('shows a watched task with its pages as they change', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const socket = connect();
    const id = await upload('watched');
    const pending = next(socket, 'task');
    expect(await ask(socket, 'watch', { task_id: id })).toEqual({ ok: true });
    expect(await pending).toMatchObject({ task_id: id, status: 'pending', position: 1, page_states: [] });
    const halfway = next(socket, 'task', (task) => task.pages?.done === 1);
    const worker = await galley.work(readsTwoPages(galley.blobs, held));
    expect((await halfway).page_states?.map((page) => page.status)).toEqual(['completed', 'processing']);
    const whole = next(socket, 'task', (task) => task.status === 'completed');
    release();
    expect((await whole).pages).toEqual({ total: 2, done: 2, failed: 0 });
    await worker.stop(0);
  });

  test('tells of a change soon after it', async () => {
    const socket = connect();
    const id = await upload('soon');
    await ask(socket, 'watch', { task_id: id });
    const cancelled = next(socket, 'task', (task) => task.status === 'cancelled');
    await galley.call('POST', `/api/v1/tasks/${id}/cancel`);
    // The tick reads running and waiting tasks only, so nothing but the event tells of this.
    await cancelled;
    expect(await ask(socket, 'unwatch', { task_id: id })).toEqual({ ok: true });
  });

  test('tells of dead letters and of the progress of operations', async () => {
    const socket = connect();
    expect(await next(socket, 'dead_letters')).toEqual({ queue: 'ocr', total: 0, by_code: {} });
    const grown = next(socket, 'dead_letters', (dead) => dead.total === 1);
    const worker = await galley.work(refusesAll);
    await upload('dead');
    expect((await grown).by_code).toEqual({ corrupt_document: 1 });
    await worker.stop(0);
    const done = next(socket, 'operation', (operation) => operation.state === 'done');
    await galley.call('POST', '/api/v1/dead-letters/purge', { all: true });
    expect(await done).toMatchObject({ done: 1, total: 1 });
  });

  test('tells of dead letters again when one was revived and died anew between two looks', async () => {
    const socket = connect();
    // What a client hears first may be some 250 ms old, and so still tell of what was purged just before.
    await next(socket, 'dead_letters', (dead) => dead.total === 0);
    const worker = await galley.work(refusesAll);
    const died = next(socket, 'dead_letters', (dead) => dead.total === 1);
    const id = await upload('dies twice');
    await died;
    await ask(socket, 'watch', { task_id: id });
    const diedAgain = next(socket, 'task', (task) => task.status === 'dead_letter' && task.fence === 2);
    const toldAgain = next(socket, 'dead_letters', (dead) => dead.total === 1);
    const retry = await galley.call('POST', '/api/v1/dead-letters/retry', { task_ids: [id] });
    expect(retry.body).toEqual({ retried: 1, skipped: [] });
    await diedAgain;
    await toldAgain;
    await worker.stop(0);
    await galley.call('POST', '/api/v1/dead-letters/purge', { task_ids: [id] });
  });

  test('follows the queue that a client chooses', async () => {
    const socket = connect();
    await next(socket, 'snapshot');
    expect(await ask(socket, 'follow', { queue: 'nowhere' })).toMatchObject({ ok: false, problem: { code: 'queue_not_found' } });
    const again = next(socket, 'snapshot');
    expect(await ask(socket, 'follow', { queue: 'ocr' })).toEqual({ ok: true });
    expect((await again).queue).toBe('ocr');
  });

  test('parses everything a client sends, and bounds its watches', async () => {
    const socket = connect();
    await next(socket, 'snapshot');
    for (const message of [null, 7, {}, { task_id: 'nonsense' }, { task_id: 'ocr-00-000000000000-aaaaaa', more: 1 }]) {
      expect(await ask(socket, 'watch', message)).toMatchObject({ ok: false, problem: { code: 'invalid_request' } });
    }
    expect(await ask(socket, 'watch', { task_id: 'ocr-00-000000000zzz-aaaaaa' })).toMatchObject({ problem: { code: 'task_not_found' } });
    const files = Array.from({ length: WATCHES_PER_CLIENT }, (_, index) => ({ name: 'n.png', bytes: pngBytes(`bound ${index}`) }));
    const ids = submitDocumentsSchema.parse((await galley.upload(files)).body).documents.map((document) => document.task_id);
    const answers = await Promise.all([...ids, await upload('one too many')].map((id) => ask(socket, 'watch', { task_id: id })));
    expect(answers.filter((answer) => answer.ok)).toHaveLength(WATCHES_PER_CLIENT);
  });

  test('lets no page of another site in, and no rebound name', async () => {
    const { host } = new URL(galley.base);
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    for (const headers of [{ host, origin: 'https://evil.example' }, { host: 'evil.example' }, { host, origin: 'null' }]) {
      expect((await galley.raw('GET', '/socket.io/?EIO=4&transport=polling', headers)).status).toBe(403);
      // engine.io answers a refused upgrade with 400 and the reason.
      const refused = await galley.raw('GET', '/socket.io/?EIO=4&transport=websocket', { ...headers, ...upgrade });
      expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/another site|no name of this server/)]);
    }
    expect((await galley.raw('GET', '/socket.io/?EIO=4&transport=polling', { host, origin: `http://${host}` })).status).toBe(200);
    const socket = connect({ extraHeaders: { origin: 'https://evil.example' } });
    await expect(new Promise((_, reject) => socket.once('connect_error', reject))).rejects.toThrow(/websocket error/);
    expect(socket.connected).toBe(false);
  });

  test('a client that comes back gets a whole snapshot first', async () => {
    const worker = await galley.work(readsAs(galley.blobs, 'x'));
    const socket = connect();
    await next(socket, 'snapshot');
    socket.disconnect();
    const events: string[] = [];
    socket.onAny((name: string) => events.push(name));
    socket.connect();
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(0));
    expect(events[0]).toBe('snapshot');
    await worker.stop(0);
  });
});
