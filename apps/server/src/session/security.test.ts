import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deadLetterListSchema, GalleyError, LIVE_NAMESPACE, problemSchema, submitDocumentsSchema, taskListSchema } from '@galley/contract';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pngBytes, TestServer } from '../testing/start.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const TOKENS = { viewer: 'token-of-the-viewer', ada: 'token-of-ada', bo: 'token-of-bo', admin: 'token-of-the-admin' };

describe('without tokens, on loopback', () => {
  let galley: TestServer;
  let host: string;
  beforeAll(async () => {
    galley = await TestServer.start({ GALLEY_ALLOWED_HOSTS: 'galley.example' });
    host = new URL(galley.base).host;
  });
  afterAll(() => galley.stop());

  test('everything is open to this machine', async () => {
    expect(await galley.call('GET', '/api/v1/session')).toMatchObject({
      status: 200,
      body: { role: 'admin', user_id: null, authenticated: false },
    });
    expect((await galley.call('GET', '/api/v1/audit')).status).toBe(200);
  });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'localhost@evil.example', 'a b'])(
    'a request to the rebound name "%s" is refused on every kind of route',
    async (name) => {
      for (const address of ['/', '/api/v1/tasks', '/metrics', '/healthz', '/assets/x.js']) {
        const answer = await galley.raw('GET', address, { host: name });
        expect([answer.status, JSON.parse(answer.text)]).toEqual([403, expect.objectContaining({ code: 'host_not_allowed' })]);
      }
    },
  );

  test('its own names are taken, with any port, and those it was told of', async () => {
    for (const name of [host, 'localhost', 'LOCALHOST:8080', '127.0.0.1', '[::1]:7300', 'galley.example']) {
      expect((await galley.raw('GET', '/healthz', { host: name })).status, name).toBe(200);
    }
  });

  test('a page of another site can neither post nor read', async () => {
    const post = (headers: Record<string, string>) =>
      galley.raw('POST', '/api/v1/queue/pause', { host, 'content-type': 'application/json', ...headers }, '{}');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://${host}.evil.example` },
      { origin: 'http://127.0.0.1:1' },
      { origin: `http://user@${host}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
    ]) {
      const answer = await post(headers);
      expect([answer.status, JSON.parse(answer.text)], JSON.stringify(headers)).toEqual([
        403,
        expect.objectContaining({ code: 'origin_not_allowed' }),
      ]);
    }
    expect((await galley.raw('GET', '/api/v1/tasks', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(
      403,
    );
    expect((await galley.raw('GET', '/', { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).not.toBe(403);
    expect((await post({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await galley.raw('POST', '/api/v1/queue/resume', { host })).status).toBe(200);
  });

  test('answers carry no permission for other sites, and the headers that keep a page in', async () => {
    const { headers } = await galley.raw('GET', '/healthz', { host, origin: `http://${host}` });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("img-src 'self' data: blob:");
    expect(policy).not.toContain('unsafe');
  });

  test('a body cannot reach the prototype of things', async () => {
    const headers = { host, 'content-type': 'application/json' };
    const body = '{"image_url":"https://pictures.example/1.png","__proto__":{"polluted":true}}';
    expect((await galley.raw('POST', '/api/v1/tasks', headers, body)).status).toBe(400);
    expect(
      (await galley.upload([{ name: 'a.png', bytes: pngBytes('proto') }], { __proto__x: '1', 'constructor[prototype]': '1' })).status,
    ).toBe(400);
    const form = `--e\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--e--\r\n`;
    expect((await galley.raw('POST', '/api/v1/documents', { host, 'content-type': 'multipart/form-data; boundary=e' }, form)).status).toBe(
      400,
    );
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('paths and methods that are nothing are told so as problems', async () => {
    for (const address of ['/api/v1/nothing', '/api', '/../../etc/passwd', '/assets/../../package.json', '/.env', '/tasks/a/b/c']) {
      const answer = await galley.raw('GET', address, { host });
      expect([answer.status, problemSchema.parse(JSON.parse(answer.text)).code], address).toEqual([404, 'not_found']);
    }
    const answer = await galley.raw('DELETE', '/api/v1/tasks', { host });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, GET']);
    expect((await galley.raw('GET', '/healthz', { host, 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1');
    expect((await galley.raw('GET', '/healthz', { host, 'x-request-id': 'a b' })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('with tokens', () => {
  let galley: TestServer;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp('/tmp/galley-tokens-');
    const file = path.join(directory, 'tokens');
    await writeFile(
      file,
      `# who may call\n${sha256(TOKENS.viewer)} vi viewer\n${sha256(TOKENS.ada)} ada user 10\n${sha256(TOKENS.bo)} bo user\n${sha256(TOKENS.admin)} root admin\n`,
    );
    galley = await TestServer.start({ GALLEY_TOKENS_FILE: file });
  });
  afterAll(async () => {
    await galley.stop();
    await rm(directory, { recursive: true });
  });

  const as = (who: keyof typeof TOKENS | null, method: string, address: string, body?: unknown) =>
    galley.call(method, address, body, who === null ? {} : { authorization: `Bearer ${TOKENS[who]}` });

  async function upload(who: keyof typeof TOKENS, mark: string, fields: Readonly<Record<string, string>> = {}) {
    galley.token = TOKENS[who];
    const answer = await galley.upload([{ name: `${mark}.png`, bytes: pngBytes(mark) }], fields);
    galley.token = null;
    return answer;
  }

  test('a user sees, lists and cancels only what is theirs, and submits in their own name', async () => {
    const own = submitDocumentsSchema.parse((await upload('ada', 'secret', { user_id: 'bo' })).body).documents[0]?.task_id ?? '';
    expect((await as('ada', 'GET', `/api/v1/tasks/${own}`)).body).toMatchObject({ user_id: 'ada' });
    for (const address of ['', '/events', '/result', '/pages', '/pages/1', '/pages/1/image']) {
      expect((await as('bo', 'GET', `/api/v1/tasks/${own}${address}`)).body, address).toMatchObject({ code: 'task_not_found' });
    }
    expect((await as('bo', 'POST', `/api/v1/tasks/${own}/cancel`)).status).toBe(404);
    expect((await as('bo', 'DELETE', `/api/v1/tasks/${own}`)).status).toBe(404);
    expect(taskListSchema.parse((await as('bo', 'GET', '/api/v1/tasks')).body)).toMatchObject({ tasks: [], total: 0 });
    expect(taskListSchema.parse((await as('bo', 'GET', '/api/v1/tasks?user_id=ada')).body).tasks).toEqual([]);
    expect(deadLetterListSchema.parse((await as('bo', 'GET', '/api/v1/dead-letters')).body).tasks).toEqual([]);
    const same = submitDocumentsSchema.parse((await upload('bo', 'secret')).body).documents[0];
    expect(same).toMatchObject({ duplicate: false });
    expect((await as('viewer', 'GET', `/api/v1/tasks/${own}`)).status).toBe(200);
    expect((await as('viewer', 'POST', `/api/v1/tasks/${own}/cancel`)).status).toBe(403);
    expect((await as('admin', 'POST', `/api/v1/tasks/${own}/cancel`)).status).toBe(200);
  });

  test('a priority better than the token allows is refused', async () => {
    expect((await upload('ada', 'too urgent', { priority: 'urgent' })).status).toBe(403);
    const answer = await upload('ada', 'high enough', { priority: 'high' });
    const id = submitDocumentsSchema.parse(answer.body).documents[0]?.task_id;
    expect((await as('ada', 'POST', `/api/v1/tasks/${id}/priority`, { priority: 1 })).status).toBe(403);
  });

  test('a browser logs in for a cookie that scripts and other sites never see, and out again', async () => {
    expect((await galley.call('GET', '/api/v1/session')).status).toBe(401);
    expect((await galley.call('POST', '/api/v1/session', { token: 'wrong' })).status).toBe(401);
    const login = await galley.call('POST', '/api/v1/session', { token: TOKENS.ada });
    expect(login.body).toEqual({ role: 'user', user_id: 'ada', authenticated: true });
    const set = login.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^galley_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    const cookie = set.split(';')[0] ?? '';
    expect(cookie).not.toContain(TOKENS.ada);
    const session = () => galley.call('GET', '/api/v1/session', undefined, { cookie: `other=1; ${cookie}` });
    expect((await session()).body).toMatchObject({ user_id: 'ada' });
    const socket = io(galley.base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, extraHeaders: { cookie } });
    await new Promise((resolve) => socket.once('snapshot', resolve));
    socket.disconnect();
    expect((await galley.call('DELETE', '/api/v1/session', undefined, { cookie })).status).toBe(204);
    expect((await session()).status).toBe(401);
  });

  test('stack traces are for admins', async () => {
    const worker = await galley.work({ document: () => Promise.reject(new GalleyError('corrupt_document', 'torn')) });
    const id = submitDocumentsSchema.parse((await upload('ada', 'torn')).body).documents[0]?.task_id ?? '';
    await vi.waitFor(async () => expect((await as('ada', 'GET', `/api/v1/tasks/${id}`)).body).toMatchObject({ status: 'dead_letter' }));
    expect(JSON.stringify(await as('ada', 'GET', `/api/v1/tasks/${id}`))).not.toContain('"stack"');
    expect(JSON.stringify(await as('admin', 'GET', '/api/v1/dead-letters'))).not.toContain('"stack"');
    expect((await as('admin', 'GET', `/api/v1/tasks/${id}`)).body).toMatchObject({
      errors: [{ code: 'corrupt_document', stack: expect.any(String) }],
    });
    await worker.stop(0);
  });

  test('the socket asks for a token, and a user watches only what is theirs', async () => {
    const connect = (auth: object) =>
      io(galley.base + LIVE_NAMESPACE, { transports: ['websocket'], reconnection: false, forceNew: true, auth });
    for (const auth of [{}, { token: 'wrong' }, { token: 7 }]) {
      const socket = connect(auth);
      const error = await new Promise<unknown>((resolve) => socket.once('connect_error', resolve));
      expect(error).toMatchObject({ data: { code: 'unauthorized', status: 401 } });
    }
    const id = submitDocumentsSchema.parse((await upload('ada', 'watched')).body).documents[0]?.task_id;
    const socket = connect({ token: TOKENS.bo });
    await new Promise((resolve) => socket.once('snapshot', resolve));
    expect(await socket.emitWithAck('watch', { task_id: id })).toMatchObject({ ok: false, problem: { code: 'task_not_found' } });
    socket.disconnect();
  });
});

describe('limits', () => {
  test('past the depth limit a submit is refused with the time to come back, and nothing is stored', async () => {
    const galley = await TestServer.start({ GALLEY_DEPTH_LIMIT: '1', GALLEY_SHARDS: '1' });
    expect((await galley.upload([{ name: 'a.png', bytes: pngBytes('1') }])).status).toBe(202);
    const refused = await galley.upload([{ name: 'b.png', bytes: pngBytes('2') }]);
    expect([refused.status, problemSchema.parse(refused.body).code]).toEqual([429, 'queue_full']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await galley.call('POST', '/api/v1/tasks', { image_url: 'https://pictures.example/1.png' })).status).toBe(429);
    await galley.stop();
  });
});
