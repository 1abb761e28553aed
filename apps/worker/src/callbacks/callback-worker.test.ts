import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLBACK_QUEUE, CALLBACK_TASK, type CallbackPayload } from '@galley/contract';
import { type Connection, connectRedis, Inspector, Queue, startTemporaryRedisServer, type TemporaryRedisServer } from '@galley/core';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseConfig } from '../config.ts';
import { parseAllowList } from '../fetch/allow-list.ts';
import { CallbackWorker } from './callback-worker.ts';
import { deliverCallback } from './deliver.ts';

const SECRET = 'a secret of sixteen and more'.replaceAll(' ', '-');
const TASK_ID = 'ocr-00-000000000001-aaaaaa';

interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let redis: TemporaryRedisServer;
let connection: Connection;
let receiver: Server;
let base: string;
let worker: CallbackWorker;
let queue: Queue;
let inspector: Inspector;
const deliveries: Delivery[] = [];
/** How the receiver answers a path: its first answers in turn, the last one from then on. */
const answers = new Map<string, ((response: ServerResponse) => void)[]>();

function payloadFor(path: string, host = base): CallbackPayload {
  return {
    url: `${host}${path}`,
    task_id: TASK_ID,
    body: {
      event: 'task.completed',
      at: '2026-11-30T12:00:00.000Z',
      task: {
        task_id: TASK_ID,
        queue: 'ocr',
        type: 'document',
        status: 'completed',
        priority: 100,
        created_at: '2026-11-30T11:00:00.000Z',
        attempts: 0,
        crashes: 0,
        max_retries: 3,
        progress: 1,
        fence: 1,
        filename: 'Grüße 你好.png',
        errors: [],
      },
    },
  };
}

async function submit(path: string, host?: string): Promise<string> {
  return (await queue.submit(CALLBACK_TASK, JSON.parse(JSON.stringify(payloadFor(path, host))))).id;
}

async function untilState(id: string, state: string): Promise<NonNullable<Awaited<ReturnType<Inspector['get']>>>> {
  return vi.waitFor(async () => {
    const view = await inspector.get(id);
    if (view?.state !== state) throw new Error(`${id} is ${view?.state}, not ${state}`);
    return view;
  }, 10_000);
}

beforeAll(async () => {
  redis = await startTemporaryRedisServer();
  connection = connectRedis(redis.url);
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      deliveries.push({ path, headers: request.headers, text: Buffer.concat(chunks).toString() });
      const own = answers.get(path) ?? [];
      const answer = own.length > 1 ? own.shift() : own[0];
      if (answer === undefined) response.end('taken');
      else answer(response);
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const config = parseConfig({ GALLEY_REDIS_URL: redis.url, GALLEY_URL_ALLOW: '127.0.0.1', GALLEY_CALLBACK_SECRET: SECRET });
  worker = await CallbackWorker.start({
    connection,
    config,
    secret: SECRET,
    logger: pino({ level: 'silent' }),
    version: 'test',
    limitMs: 500,
  });
  queue = await Queue.open(connection, CALLBACK_QUEUE);
  inspector = new Inspector(connection, queue.layout);
});
afterAll(async () => {
  await worker.stop(0);
  await connection.close();
  receiver.closeAllConnections();
  receiver.close();
  await redis.stop();
});

const ofPath = (path: string): Delivery[] => deliveries.filter((delivery) => delivery.path === path);

test('a callback is posted as JSON and signed so that its receiver can check it', async () => {
  const id = await submit('/signed');
  await untilState(id, 'completed');
  const [delivery] = ofPath('/signed');
  expect(JSON.parse(delivery?.text ?? '')).toEqual(payloadFor('/signed').body);
  expect(delivery?.headers).toMatchObject({ 'content-type': 'application/json', 'galley-event': 'task.completed', 'galley-delivery': id });
  const [, at = '', mac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(delivery?.headers['galley-signature'])) ?? [];
  expect(createHmac('sha256', SECRET).update(`${at}.${delivery?.text}`).digest('hex')).toBe(mac);
  expect(Math.abs(Number(at) * 1_000 - Date.now())).toBeLessThan(60_000);
});

test('one that fails is tried again, with the same delivery id', async () => {
  answers.set('/flaky', [(response) => response.writeHead(503).end(), (response) => response.writeHead(204).end()]);
  const id = await submit('/flaky');
  const view = await untilState(id, 'completed');
  expect(view.errors.map(({ code }) => code)).toEqual(['fetch_failed']);
  expect(ofPath('/flaky').map(({ headers }) => headers['galley-delivery'])).toEqual([id, id]);
});

test.each([
  ['refuses it for good', '/gone', (response: ServerResponse) => response.writeHead(410).end(), 'fetch_rejected'],
  ['sends it elsewhere', '/moved', (response: ServerResponse) => response.writeHead(307, { location: '/signed' }).end(), 'fetch_rejected'],
])('a receiver that %s makes a dead letter', async (_, path, answer, code) => {
  answers.set(path, [answer]);
  const before = ofPath('/signed').length;
  const view = await untilState(await submit(path), 'dead_letter');
  expect(view.errors.at(-1)?.code).toBe(code);
  expect([ofPath(path).length, ofPath('/signed').length]).toEqual([1, before]);
});

test('a receiver that asks for time gets it', async () => {
  answers.set('/busy', [(response) => response.writeHead(429, { 'retry-after': '1' }).end(), (response) => response.end()]);
  const view = await untilState(await submit('/busy'), 'completed');
  expect(view).toMatchObject({ attempts: 0, errors: [{ code: 'upstream_rate_limited' }] });
});

test('one that does not answer is given up within the limit and tried again', async () => {
  answers.set('/silent', [() => {}, (response) => response.end()]);
  const view = await untilState(await submit('/silent'), 'completed');
  expect(view.errors[0]?.message).toMatch(/did not answer within 500 ms/);
});

test('private addresses are not called, by whatever name', async () => {
  for (const host of ['http://10.0.0.1', 'http://169.254.169.254', 'http://[::1]', 'file:///etc/passwd', 'nonsense']) {
    const view = await untilState(await submit('/', host), 'dead_letter');
    expect([host, view.errors.at(-1)?.code]).toEqual([host, 'url_not_allowed']);
  }
});

test('a name that leads to a private address only when it is connected to is not called', async () => {
  const options = { secret: SECRET, allow: parseAllowList(''), signal: new AbortController().signal, deliveryId: 'callbacks-00-1' };
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const { port } = receiver.address() as AddressInfo;
  const delivering = deliverCallback(payloadFor('/rebound', `http://public.example:${port}`), { ...options, resolve });
  await expect(delivering).rejects.toMatchObject({ code: 'url_not_allowed' });
  expect(ofPath('/rebound')).toEqual([]);
});
