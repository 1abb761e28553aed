import { DEFAULT_ALERT_THRESHOLDS, ROUTES, type RouteName, routePath, submitDocumentsSchema, taskSchema } from '@galley/contract';
import type { Handlers } from '@galley/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Conformance } from '../testing/conformance.ts';
import { readsTwoPages, refusesAll } from '../testing/documents.ts';
import { type Answer, pngBytes, TestServer } from '../testing/start.ts';
import { openApiDocument } from './openapi.ts';

let galley: TestServer;
const conformance = new Conformance(openApiDocument());
beforeAll(async () => {
  galley = await TestServer.start();
});
afterAll(() => galley.stop());

function check(name: RouteName, answer: Answer): Answer {
  const received = { status: answer.status, contentType: answer.headers.get('content-type'), body: answer.body };
  expect(conformance.faultsOf(name, received)).toEqual([]);
  return answer;
}

interface Call {
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call(name: RouteName, { parameters = {}, query = '', body, headers = {} }: Call = {}): Promise<Answer> {
  const { method } = ROUTES[name];
  return check(name, await galley.call(method, routePath(name, parameters) + query, body, headers));
}

async function upload(...names: string[]): Promise<string[]> {
  const answer = check('submitDocuments', await galley.upload(names.map((name) => ({ name, bytes: pngBytes(name) }))));
  return submitDocumentsSchema.parse(answer.body).documents.map((document) => document.task_id);
}

async function untilTask(id: string, state: string): Promise<void> {
  await vi.waitFor(async () => expect(taskSchema.parse((await call('getTask', { parameters: { id } })).body).status).toBe(state), 10_000);
}

/** Files named torn… are damaged; any other document has two pages. */
function someAreTorn(): Handlers {
  const whole = readsTwoPages(galley.blobs, Promise.resolve());
  return {
    ...whole,
    document: (context) => {
      const torn = JSON.stringify(context.payload).includes('torn');
      const handler = torn ? refusesAll['document'] : whole['document'];
      return typeof handler === 'function' ? handler(context) : Promise.reject(new Error('no handler'));
    },
  };
}

test('what is waiting answers as described', async () => {
  for (const name of [
    'getHealth',
    'getReadiness',
    'getMetrics',
    'getOpenApi',
    'listQueues',
    'getQueue',
    'getSystem',
    'getSession',
    'closeSession',
  ] as const) {
    await call(name);
  }
  await call('openSession', { body: { token: 'any' } });
  await call('setAlertThresholds', { body: DEFAULT_ALERT_THRESHOLDS });
  await call('getQueueHistory', { query: '?range=15m' });
  const url = { image_url: 'https://pictures.example/1.png' };
  await call('submitTask', { body: { ...url, priority: 'high', delay_ms: 3_600_000 }, headers: { 'idempotency-key': 'once' } });
  await call('submitTasks', { body: { tasks: [{ image_url: 'https://pictures.example/2.png' }, { image_url: 'nowhere' }] } });
  const [id = ''] = await upload('waiting.png');
  const parameters = { id };
  await call('listTasks', { query: '?status=pending,scheduled&limit=2' });
  for (const name of ['getTask', 'getTaskEvents', 'getTaskResult', 'listPages'] as const) await call(name, { parameters });
  await call('reprioritizeTask', { parameters, body: { priority: 7 } });
  await call('cancelTask', { parameters });
  expect((await call('getTaskResult', { parameters })).status).toBe(409);
  expect((await call('reprioritizeTask', { parameters, body: { priority: 8 } })).status).toBe(409);
  expect((await call('deleteTask', { parameters })).status).toBe(204);
  await call('actOnTasks', { body: { action: 'cancel', filter: { q: 'https://pictures.example' } } });
});

test('what has been read answers as described', async () => {
  await galley.work(someAreTorn());
  const [id = ''] = await upload('read.png');
  await untilTask(id, 'completed');
  for (const format of ['json', 'markdown', 'text', 'hocr', 'alto', 'pdf'])
    await call('getTaskResult', { parameters: { id }, query: `?format=${format}` });
  for (const name of ['getTaskEvents', 'listPages', 'getTask'] as const) await call(name, { parameters: { id } });
  await call('getPage', { parameters: { id, n: 1 } });
  const image = await call('getPageImage', { parameters: { id, n: 1 } });
  await call('getPageImage', { parameters: { id, n: 1 }, headers: { 'if-none-match': image.headers.get('etag') ?? '' } });
  await call('getTaskResult', { parameters: { id: `${id}.00001` } });
  await call('listWorkers');
});

test('what has died answers as described', async () => {
  const [first = '', second = ''] = await upload('torn1.png', 'torn2.png');
  for (const id of [first, second]) await untilTask(id, 'dead_letter');
  expect((await call('getTaskResult', { parameters: { id: first } })).status).toBe(409);
  await call('listDeadLetters', { query: '?code=corrupt_document' });
  await call('pauseQueue');
  await call('retryDeadLetters', { body: { task_ids: [first] } });
  await call('resumeQueue');
  await untilTask(first, 'dead_letter');
  await call('purgeDeadLetters', { body: { task_ids: [first] } });
  const begun = await call('retryDeadLetters', { body: { all: true } });
  const { operation_id: id } = begun.body as { operation_id: string };
  await call('getOperation', { parameters: { id } });
  await call('purgeDeadLetters', { body: { all: true } });
  await call('listAudit');
});

test('refusals answer as described, on every route', async () => {
  const parameters = { id: 'ocr-00-000000000zzz-aaaaaa', n: 1 };
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const { method } = ROUTES[name];
    const address = routePath(name, parameters);
    const foreign = await galley.raw(method, address, { host: 'evil.example' });
    const type = foreign.headers['content-type'] ?? null;
    expect(conformance.faultsOf(name, { status: foreign.status, contentType: type, body: JSON.parse(foreign.text) })).toEqual([]);
    if (method !== 'GET') check(name, await galley.call(method, address, method === 'POST' ? { unknown: 1 } : undefined));
    check(name, await galley.call(method, `${address}?unknown=1`, method === 'POST' ? [] : undefined));
  }
  expect((await galley.call('GET', routePath('getTask', parameters))).status).toBe(404);
});

test('every operation was called, and answered in each good way that is described', () => {
  // Readiness is red only while Redis is away, which redis-away.test.ts shows.
  expect(conformance.unseen()).toEqual([]);
});
