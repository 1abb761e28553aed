import {
  auditListSchema,
  deadLetterListSchema,
  operationSchema,
  operationStartedSchema,
  submitDocumentsSchema,
  taskListSchema,
} from '@galley/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readsAs, refusesAll } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
let mark = 0;

const dead = async (query = '') => deadLetterListSchema.parse((await galley.call('GET', `/api/v1/dead-letters${query}`)).body);

/** So many documents that were refused by a worker which has stopped since. */
async function makeDead(count: number): Promise<string[]> {
  const worker = await galley.work(refusesAll);
  const files = Array.from({ length: count }, () => ({ name: `bad-${mark}.png`, bytes: pngBytes(`dead ${mark++}`) }));
  const before = (await dead()).total;
  const ids = submitDocumentsSchema.parse((await galley.upload(files)).body).documents.map((document) => document.task_id);
  await vi.waitFor(async () => expect((await dead()).total).toBe(before + count), { timeout: 10_000 });
  await worker.stop(0);
  return ids;
}

async function finished(operationId: string) {
  return vi.waitFor(async () => {
    const operation = operationSchema.parse((await galley.call('GET', `/api/v1/operations/${operationId}`)).body);
    expect(operation.state).toBe('done');
    return operation;
  });
}

beforeAll(async () => {
  galley = await TestServer.start();
});
afterAll(() => galley.stop());

describe('dead letters', () => {
  test('are listed with their reason, by code and by hour of death', async () => {
    const ids = await makeDead(3);
    const list = await dead('?limit=2');
    expect(list.total).toBe(3);
    expect(list.tasks.map((task) => task.errors.at(-1))).toEqual([
      expect.objectContaining({ code: 'corrupt_document', message: 'The file ends in the middle of a page.' }),
      expect.objectContaining({ code: 'corrupt_document' }),
    ]);
    const rest = await dead(`?limit=2&cursor=${list.next_cursor}`);
    expect([...list.tasks, ...rest.tasks].map((task) => task.task_id).sort()).toEqual([...ids].sort());
    expect(list.by_code).toEqual({ corrupt_document: { count: 3, per_hour: [...Array<number>(23).fill(0), 3] } });
    expect((await dead('?code=corrupt_document')).total).toBe(3);
    expect((await dead('?code=timeout')).tasks).toEqual([]);
  });

  test('are retried by id, and each that cannot be says why', async () => {
    const [id = ''] = (await dead()).tasks.map((task) => task.task_id);
    const answer = await galley.call('POST', '/api/v1/dead-letters/retry', { task_ids: [id, 'ocr-00-000000000zzz-aaaaaa', 'nonsense'] });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        retried: 1,
        skipped: expect.arrayContaining([
          { task_id: 'ocr-00-000000000zzz-aaaaaa', code: 'task_not_found' },
          { task_id: 'nonsense', code: 'task_not_found' },
        ]),
      },
    });
    expect((await galley.call('POST', '/api/v1/dead-letters/retry', { task_ids: [id] })).body).toEqual({
      retried: 0,
      skipped: [{ task_id: id, code: 'invalid_state' }],
    });
    const worker = await galley.work(readsAs(galley.blobs, 'mended'));
    await vi.waitFor(async () => expect((await galley.call('GET', `/api/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed' }));
    await worker.stop(0);
  });

  test('are retried all at once as an operation with progress', async () => {
    const before = (await dead()).total;
    const answer = await galley.call('POST', '/api/v1/dead-letters/retry', { all: true, code: 'corrupt_document' });
    expect(answer.status).toBe(202);
    expect(await finished(operationStartedSchema.parse(answer.body).operation_id)).toMatchObject({
      action: 'retry',
      done: before,
      total: before,
      skipped: 0,
    });
    expect((await dead()).total).toBe(0);
    const worker = await galley.work(refusesAll);
    await vi.waitFor(async () => expect((await dead()).total).toBe(before));
    await worker.stop(0);
  });

  test('are purged with their files', async () => {
    const { tasks } = await dead();
    const [one, ...rest] = tasks;
    const purged = await galley.call('POST', '/api/v1/dead-letters/purge', { task_ids: [one?.task_id] });
    expect(purged.body).toEqual({ purged: 1, skipped: [] });
    expect(await galley.blobs.stat(one?.sha256 ?? '')).toBeNull();
    expect((await galley.call('GET', `/api/v1/tasks/${one?.task_id}`)).status).toBe(404);
    const all = await galley.call('POST', '/api/v1/dead-letters/purge', { all: true });
    expect(await finished(operationStartedSchema.parse(all.body).operation_id)).toMatchObject({ action: 'purge', done: rest.length });
    expect(await dead()).toMatchObject({ total: 0, tasks: [], by_code: {} });
  });

  test('a live task is not purged, and a request that is neither ids nor all is refused', async () => {
    const [document] = submitDocumentsSchema.parse((await galley.upload([{ name: 'a.png', bytes: pngBytes('live') }])).body).documents;
    const answer = await galley.call('POST', '/api/v1/dead-letters/purge', { task_ids: [document?.task_id] });
    expect(answer.body).toEqual({ purged: 0, skipped: [{ task_id: document?.task_id, code: 'invalid_state' }] });
    for (const body of [{}, { all: false }, { task_ids: [] }, { task_ids: Array<string>(1_001).fill('x') }]) {
      expect((await galley.call('POST', '/api/v1/dead-letters/retry', body)).status).toBe(400);
    }
  });
});

describe('bulk actions', () => {
  test('act on what matches a filter and no more', async () => {
    const upload = (name: string, user: string) => galley.upload([{ name, bytes: pngBytes(name) }], { user_id: user });
    for (const [name, user] of [
      ['x1.png', 'dee'],
      ['x2.png', 'dee'],
      ['x3.png', 'eve'],
    ] as const)
      await upload(name, user);
    const act = async (body: object) =>
      finished(operationStartedSchema.parse((await galley.call('POST', '/api/v1/tasks/actions', body)).body).operation_id);
    const of = async (query: string) => taskListSchema.parse((await galley.call('GET', `/api/v1/tasks?${query}`)).body).tasks;
    expect(await act({ action: 'reprioritize', priority: 'high', filter: { user_id: 'dee' } })).toMatchObject({ done: 2, total: 2 });
    expect((await of('user_id=dee')).map((task) => task.priority)).toEqual([10, 10]);
    expect((await of('user_id=eve')).map((task) => task.priority)).toEqual([100]);
    expect(await act({ action: 'cancel', filter: { user_id: 'dee', status: ['pending'] } })).toMatchObject({ done: 2 });
    expect((await of('user_id=dee&status=cancelled')).length).toBe(2);
    const [eve] = await of('user_id=eve');
    expect(await act({ action: 'cancel', filter: { task_ids: [eve?.task_id, eve?.task_id] } })).toMatchObject({
      done: 1,
      total: 1,
      skipped: 0,
    });
    expect((await galley.call('POST', '/api/v1/tasks/actions', { action: 'reprioritize', filter: {} })).status).toBe(400);
    for (const filter of [{}, { q: '  ' }, { task_ids: ['x'], priority: 5 }])
      expect((await galley.call('POST', '/api/v1/tasks/actions', { action: 'cancel', filter })).status).toBe(400);
    expect((await galley.call('POST', '/api/v1/dead-letters/retry', {})).body).toMatchObject({
      detail: expect.stringContaining('task_ids'),
    });
    expect((await galley.call('GET', '/api/v1/operations/operation-none')).status).toBe(404);
    // A date that no calendar has must not be read as no limit.
    const nonsense = { action: 'cancel', filter: { since: '2027-13-01T00:00:00.000Z' } };
    expect((await galley.call('POST', '/api/v1/tasks/actions', nonsense)).status).toBe(400);
    await vi.waitFor(async () => {
      const { entries } = auditListSchema.parse((await galley.call('GET', '/api/v1/audit')).body);
      const [last, first] = entries.filter(({ detail }) => detail.includes('"dee"') && detail.includes('status'));
      expect(first).toMatchObject({ action: 'cancel tasks', role: 'admin' });
      expect(first?.count).toBeUndefined();
      expect(last).toMatchObject({ action: 'cancel tasks', count: 2, detail: expect.stringMatching(/^finished: /) });
    });
  });
});
