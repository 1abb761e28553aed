import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { LIVE_NAMESPACE, problemSchema } from '@galley/contract';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES_PER_WINDOW } from '../live/message-budget.ts';
import { TestServer } from '../testing/start.ts';

let galley: TestServer;
let host: string;
beforeAll(async () => {
  galley = await TestServer.start();
  host = new URL(galley.base).host;
});
afterAll(() => galley.stop());

/** Sends bytes as they are and answers all that comes back until the server closes, which it does after a request that is broken or last. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(galley.base).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

const statuses = (answer: string): number[] => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const isPaused = async (): Promise<boolean> => ((await galley.call('GET', '/api/v1/queue')).body as { paused: boolean }).paused;

describe('a request inside a request', () => {
  const pause = 'POST /api/v1/queue/pause HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
  test.each([
    ['a length beside chunks', `Content-Length: ${pause.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${pause}`],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${pause.length}\r\n\r\n${pause}`],
    ['a list of lengths', `Content-Length: 0, ${pause.length}\r\n\r\n${pause}`],
    ['a signed length', `Content-Length: +0\r\n\r\n${pause}`],
    ['an unknown coding', `Transfer-Encoding: xchunked\r\n\r\n${pause}`],
    ['chunked that is not last', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${pause}`],
    ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${pause}`],
    ['a folded header', `X-Note: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${pause}`],
    ['a bare carriage return', `X-Note: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${pause}`],
    ['a bad chunk size', `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${pause}`],
  ])('is not taken: %s', async (_, tail) => {
    const answer = await exchange(`POST /api/v1/queue/resume HTTP/1.1\r\nHost: ${host}\r\n${tail.replaceAll('HOST', host)}`);
    expect(statuses(answer)[0]).toBe(400);
    expect(statuses(answer)).toHaveLength(1);
    expect(await isPaused()).toBe(false);
  });

  test('is a request of its own where nothing is hidden, so these tests would see one', async () => {
    const answer = await exchange(
      `POST /api/v1/queue/resume HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n${pause.replace('HOST', host)}`,
    );
    expect(statuses(answer)).toEqual([200, 200]);
    expect(await isPaused()).toBe(true);
    await galley.call('POST', '/api/v1/queue/resume');
  });

  test('two hosts, no host and an absolute address of another site are refused', async () => {
    for (const head of [`Host: ${host}\r\nHost: evil.example`, 'X: 1', `Host: evil.example`]) {
      const [status] = statuses(await exchange(`GET /api/v1/tasks HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`));
      expect([head, [400, 403].includes(status ?? 0)]).toEqual([head, true]);
    }
    const [absolute] = statuses(
      await exchange(`GET http://evil.example/api/v1/tasks HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    expect(absolute).not.toBe(200);
  });

  test('headers are bounded', async () => {
    const long = await exchange(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(statuses(long)).toEqual([431]);
    expect((await galley.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('a body', () => {
  const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, address = '/api/v1/tasks') =>
    fetch(galley.base + address, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const codeOf = async (answer: Response): Promise<string> => problemSchema.parse(await answer.json()).code;

  test('that is too large is refused, also when it only unpacks to that', async () => {
    const large = JSON.stringify({ image_url: `https://a.example/${'a'.repeat(1_100_000)}` });
    expect(await codeOf(await post(large))).toBe('payload_too_large');
    const bomb = gzipSync(Buffer.alloc(40_000_000, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    const refused = await post(bomb, { 'content-encoding': 'gzip' });
    expect([refused.status, await codeOf(refused)]).toEqual([413, 'payload_too_large']);
    const batch = JSON.stringify({ tasks: [large] }).padEnd(16_800_000);
    expect(await codeOf(await post(batch, {}, '/api/v1/tasks/batch'))).toBe('payload_too_large');
  });

  test('that is nested too deep is refused, however deep', async () => {
    for (const depth of [20, 1_000, 100_000]) {
      const nested = `{"image_url":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      expect([depth, await codeOf(await post(nested))]).toEqual([depth, 'invalid_request']);
      const object = `{"tasks":[${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]}`;
      expect([depth, await codeOf(await post(object, {}, '/api/v1/tasks/batch'))]).toEqual([depth, 'invalid_request']);
    }
    expect((await galley.call('GET', '/healthz')).status).toBe(200);
  });

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('with the field %s changes nothing', async (name) => {
    const value = { polluted: true, prototype: { polluted: true } };
    for (const [address, body] of [
      ['/api/v1/tasks', { image_url: 'https://a.example/1', [name]: value }],
      ['/api/v1/tasks/batch', { tasks: [{ image_url: 'https://a.example/1', [name]: value }] }],
      ['/api/v1/dead-letters/retry', { all: true, [name]: value }],
      ['/api/v1/tasks/actions', { action: 'cancel', filter: { [name]: value } }],
      ['/api/v1/session', { token: 'a', [name]: value }],
    ] as const) {
      const text = JSON.stringify(body).replace(`"${name}":{}`, `"${name}":${JSON.stringify(value)}`);
      const sent = name === '__proto__' ? `{"__proto__":${JSON.stringify(value)},${text.slice(1)}` : text;
      const { status } = await post(sent, {}, address);
      expect([address, status < 500]).toEqual([address, true]);
    }
    const query = await galley.call('GET', `/api/v1/tasks?${name}[polluted]=1&${name}.polluted=1`);
    expect(query.status).toBe(400);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('of another kind, charset or coding is refused in words', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json; charset=iso-8859-1' },
      { 'content-encoding': 'compress' },
    ])
      expect([headers, await codeOf(await post('{"image_url":"https://a.example/1"}', headers))]).toEqual([headers, 'invalid_request']);
  });
});

describe('an address', () => {
  const TRAVERSALS = [
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f%2e%2e',
    '..%5c..%5cwindows',
    '%00',
    '%c0%ae%c0%ae%2f',
    '....//',
    '%252e%252e%252f',
  ];
  test.each(TRAVERSALS)('with %s in it leads nowhere', async (part) => {
    for (const address of [
      `/${part}`,
      `/assets/${part}`,
      `/docs/${part}`,
      `/api/v1/tasks/${part}`,
      `/api/v1/tasks/${part}/result`,
      `/api/v1/tasks/ocr-00-000000000zzz-aaaaaa/pages/${part}/image`,
      `/api/v1/operations/${part}`,
      `/api/v1/uploads/${part}`,
    ]) {
      const answer = await galley.raw('GET', address, { host, accept: 'application/json' });
      expect([address, [400, 404, 405].includes(answer.status)]).toEqual([address, true]);
      expect(answer.text).not.toMatch(/root:|node_modules|at .*\.js:\d/);
    }
  });
});

describe('a live client', () => {
  const open = () => io(galley.base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, forceNew: true });

  test('that sends more than it may, or longer than it may, is taken off', async () => {
    for (const misbehave of [
      (socket: ReturnType<typeof open>) => socket.emit('watch', { task_id: 'a'.repeat(100_000) }),
      (socket: ReturnType<typeof open>) => {
        for (let count = 0; count <= MESSAGES_PER_WINDOW; count++) socket.emit('unwatch', { task_id: 'x' });
      },
    ]) {
      const socket = open();
      await new Promise((resolve) => socket.once('snapshot', resolve));
      const gone = new Promise((resolve) => socket.once('disconnect', resolve));
      misbehave(socket);
      await gone;
    }
  });

  test.each([null, 7, 'text', [], {}, { task_id: null }, { task_id: { $gt: '' } }, { task_id: 'a', more: 1 }])(
    'that sends %j is told so',
    async (message) => {
      const socket = open();
      await new Promise((resolve) => socket.once('snapshot', resolve));
      expect(await socket.timeout(5_000).emitWithAck('watch', message)).toMatchObject({ ok: false, problem: { code: 'invalid_request' } });
      socket.disconnect();
    },
  );

  test('of another site is refused', async () => {
    const socket = io(galley.base + LIVE_NAMESPACE, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { origin: 'https://evil.example' },
    });
    await new Promise((resolve) => socket.once('connect_error', resolve));
    expect(socket.connected).toBe(false);
  });
});
