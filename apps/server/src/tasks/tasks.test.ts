import {
  acceptedTaskSchema,
  documentResultSchema,
  pageListSchema,
  pageResultSchema,
  partialResultSchema,
  problemSchema,
  readinessSchema,
  submitDocumentsSchema,
  submitTasksSchema,
  type Task,
  taskEventsSchema,
  taskListSchema,
  taskSchema,
} from '@galley/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readsAs, readsTwoPages, refusesAll } from '../testing/documents.ts';
import { pngBytes, TestServer } from '../testing/start.ts';

let galley: TestServer;
let mark = 0;

async function submitted(fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await galley.upload([{ name: `plate-${mark}.png`, bytes: pngBytes(`task ${mark++}`) }], fields);
  const [document] = submitDocumentsSchema.parse(answer.body).documents;
  if (document === undefined) throw new Error(JSON.stringify(answer.body));
  return document.task_id;
}

async function task(id: string): Promise<Task> {
  return taskSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}`)).body);
}

function until(id: string, status: Task['status']): Promise<Task> {
  return vi.waitFor(
    async () => {
      const now = await task(id);
      expect(now.status).toBe(status);
      return now;
    },
    { timeout: 10_000, interval: 20 },
  );
}

async function code(address: string, method = 'GET', body?: unknown): Promise<[number, string]> {
  const answer = await galley.call(method, address, body);
  return [answer.status, problemSchema.parse(answer.body).code];
}

beforeAll(async () => {
  galley = await TestServer.start({ GALLEY_RESULT_MS: '60000' });
});
afterAll(() => galley.stop());

describe('a task in line', () => {
  test('says its place, takes another priority, and is cancelled from there', async () => {
    const [first, second] = [await submitted({ priority: 'normal' }), await submitted({ priority: 'high' })];
    expect([(await task(second)).position, (await task(first)).position]).toEqual([1, 2]);
    const urgent = await galley.call('POST', `/api/v1/tasks/${first}/priority`, { priority: 'urgent' });
    expect(taskSchema.parse(urgent.body)).toMatchObject({ priority: 1, position: 1, status: 'pending' });
    expect(await galley.call('GET', `/api/v1/tasks/${first}/result`)).toMatchObject({
      status: 202,
      body: { pages_done: 0, pages_total: null, pages: [] },
    });
    expect(await code(`/api/v1/tasks/${first}/result?format=text`)).toEqual([409, 'task_not_finished']);
    for (const id of [first, second]) {
      expect(taskSchema.parse((await galley.call('POST', `/api/v1/tasks/${id}/cancel`)).body).status).toBe('cancelled');
      expect(await code(`/api/v1/tasks/${id}/result`)).toEqual([409, 'task_cancelled']);
    }
    const { events } = taskEventsSchema.parse((await galley.call('GET', `/api/v1/tasks/${first}/events`)).body);
    expect(events.map((event) => event.event)).toEqual(['submitted', 'reprioritized', 'cancelled']);
    expect((await galley.call('POST', `/api/v1/tasks/${first}/cancel`)).status).toBe(200);
    expect(await code(`/api/v1/tasks/${first}/priority`, 'POST', { priority: 5 })).toEqual([409, 'invalid_state']);
  });

  test('is unknown by another id', async () => {
    for (const id of ['nonsense', 'ocr-00-000000000zzz-aaaaaa', 'other-00-000000000000-aaaaaa', '%2e%2e%2fetc', '__proto__']) {
      expect(await code(`/api/v1/tasks/${id}`)).toEqual([404, 'task_not_found']);
    }
    expect(await code('/api/v1/tasks/%E0%A4%A')).toEqual([400, 'invalid_request']);
  });
});

describe('a document that was read in one run', () => {
  let id: string;
  beforeAll(async () => {
    const worker = await galley.work(readsAs(galley.blobs, 'Stop press'));
    id = await submitted();
    await until(id, 'completed');
    await worker.stop(0);
  });

  test('gives its result as JSON, Markdown and text, and says that other formats are not there yet', async () => {
    const address = `/api/v1/tasks/${id}/result`;
    expect(documentResultSchema.parse((await galley.call('GET', address)).body).pages[0]?.blocks[0]?.text).toBe('Stop press');
    const text = await galley.call('GET', `${address}?format=text`);
    const names = await Promise.all(
      ['json', 'markdown', 'text'].map(async (format) =>
        (await galley.call('GET', `${address}?format=${format}`)).headers.get('content-disposition'),
      ),
    );
    const stem = (await task(id)).filename?.replace('.png', '');
    expect(names).toEqual([`inline; filename="${stem}.json"`, `attachment; filename="${stem}.md"`, `attachment; filename="${stem}.txt"`]);
    const ready = readinessSchema.parse((await galley.call('GET', '/readyz')).body);
    expect(ready.formats).toEqual(['json', 'markdown', 'text']);
    expect([text.body, text.headers.get('content-security-policy'), text.headers.get('x-content-type-options')]).toEqual([
      'Stop press',
      'sandbox',
      'nosniff',
    ]);
    expect((await galley.call('GET', `${address}?format=markdown`)).headers.get('content-type')).toContain('text/markdown');
    for (const format of ['hocr', 'alto', 'pdf']) expect(await code(`${address}?format=${format}`)).toEqual([501, 'not_implemented']);
    expect(await code(`${address}?format=docx`)).toEqual([400, 'invalid_request']);
  });

  test('counts its pages, lists them, and shows one with its picture', async () => {
    expect(await task(id)).toMatchObject({ progress: 1, pages: { total: 1, done: 1, failed: 0 }, attempts: 0, fence: 1 });
    const pages = pageListSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}/pages`)).body);
    expect(pages).toEqual({ task_id: id, total: 1, pages: [{ page: 1, status: 'completed', task_id: id, width: 800, height: 600 }] });
    expect(pageResultSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}/pages/1`)).body).width).toBe(800);
    expect(await code(`/api/v1/tasks/${id}/pages/2`)).toEqual([404, 'page_not_found']);
    expect(await code(`/api/v1/tasks/${id}/pages/zero`)).toEqual([404, 'page_not_found']);
    const picture = await fetch(`${galley.base}/api/v1/tasks/${id}/pages/1/image`);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(Buffer.from(pngBytes('picture of Stop press')));
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^attachment; filename="plate-\d+-page-1\.png"$/),
    });
    const etag = picture.headers.get('etag') ?? '';
    expect((await galley.call('GET', `/api/v1/tasks/${id}/pages/1/image`, undefined, { 'if-none-match': etag })).status).toBe(304);
  });

  test('is deleted with its files, unless another task was made from them', async () => {
    const bytes = pngBytes('shared');
    const ids = await Promise.all(
      ['ada', 'bo'].map(
        async (user) => submitDocumentsSchema.parse((await galley.upload([{ name: 'a.png', bytes }], { user_id: user })).body).documents[0],
      ),
    );
    const sha256 = ids[0]?.sha256 ?? '';
    expect((await galley.call('DELETE', `/api/v1/tasks/${ids[0]?.task_id}`)).status).toBe(204);
    expect(await galley.blobs.stat(sha256)).not.toBeNull();
    expect((await galley.call('DELETE', `/api/v1/tasks/${ids[1]?.task_id}`)).status).toBe(204);
    expect(await galley.blobs.stat(sha256)).toBeNull();
    expect(await code(`/api/v1/tasks/${ids[1]?.task_id}`)).toEqual([404, 'task_not_found']);
    expect((await galley.call('DELETE', `/api/v1/tasks/${id}`)).status).toBe(204);
  });
});

describe('a document that fans out', () => {
  test('answers 202 with the pages done so far, then the whole', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const worker = await galley.work(readsTwoPages(galley.blobs, held));
    const id = await submitted();
    const partial = await vi.waitFor(async () => {
      const answer = await galley.call('GET', `/api/v1/tasks/${id}/result`);
      const parsed = partialResultSchema.parse(answer.body);
      expect([answer.status, parsed.pages_done]).toEqual([202, 1]);
      return parsed;
    });
    expect(partial).toMatchObject({ status: 'waiting', pages_total: 2, pages: [{ page: 1 }] });
    expect(await task(id)).toMatchObject({ status: 'waiting', progress: 0.5, pages: { total: 2, done: 1, failed: 0 } });
    expect(pageResultSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}/pages/1`)).body).blocks[0]?.text).toBe('page 1');
    expect(taskSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}.00001`)).body)).toMatchObject({
      parent_id: id,
      page: 1,
      type: 'page',
    });
    release();
    await until(id, 'completed');
    const list = pageListSchema.parse((await galley.call('GET', `/api/v1/tasks/${id}/pages`)).body);
    expect(list.pages.map((page) => [page.page, page.status, page.width])).toEqual([
      [1, 'completed', 800],
      [2, 'completed', 800],
    ]);
    await worker.stop(0);
  });
});

describe('a result whose time is over', () => {
  let short: TestServer;
  beforeEach(async () => {
    short = await TestServer.start({ GALLEY_RESULT_MS: '1000' });
  });
  afterEach(() => short.stop());

  test('is gone, and the task says so', async () => {
    await short.work({ document: () => Promise.resolve('x') });
    const answer = await short.upload([{ name: 'a.png', bytes: pngBytes('short') }]);
    const id = submitDocumentsSchema.parse(answer.body).documents[0]?.task_id ?? '';
    await vi.waitFor(async () => expect((await short.call('GET', `/api/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed' }));
    await short.connection.client.del(...(await short.connection.client.keys('*result*')));
    expect(await short.call('GET', `/api/v1/tasks/${id}/result`)).toMatchObject({ status: 410, body: { code: 'result_expired' } });
    expect(await short.call('GET', `/api/v1/tasks/${id}/pages/1`)).toMatchObject({ status: 410 });
  });
});

describe('a dead letter', () => {
  test('has no result, and says why', async () => {
    const worker = await galley.work(refusesAll);
    const id = await submitted();
    await until(id, 'dead_letter');
    const answer = await galley.call('GET', `/api/v1/tasks/${id}/result`);
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'task_dead_letter', detail: expect.stringContaining('corrupt_document: The file ends') },
    });
    await worker.stop(0);
  });
});

describe('tasks by URL', () => {
  const url = 'https://pictures.example/plate.png';

  test('are submitted one by one and by the batch, each entry judged by itself', async () => {
    const one = acceptedTaskSchema.parse(
      (await galley.call('POST', '/api/v1/tasks', { image_url: url, delay_ms: 60_000, user_id: 'cy' })).body,
    );
    expect(one).toMatchObject({ status: 'scheduled', duplicate: false });
    expect(acceptedTaskSchema.parse((await galley.call('POST', '/api/v1/tasks', { image_url: url, user_id: 'cy' })).body)).toMatchObject({
      task_id: one.task_id,
      duplicate: true,
    });
    expect(await task(one.task_id)).toMatchObject({ filename: url, user_id: 'cy' });
    const batch = await galley.call('POST', '/api/v1/tasks/batch', {
      tasks: [{ image_url: `${url}?2` }, { image_url: 'file:///etc/passwd' }, 7],
    });
    expect(batch.status).toBe(202);
    const { tasks, rejected } = submitTasksSchema.parse(batch.body);
    expect([tasks.length, rejected.map((entry) => [entry.index, entry.code])]).toEqual([
      1,
      [
        [1, 'invalid_request'],
        [2, 'invalid_request'],
      ],
    ]);
    expect(rejected[0]?.detail).toContain('http or https');
    expect(await code('/api/v1/tasks/batch', 'POST', { tasks: [7] })).toEqual([422, 'nothing_accepted']);
  });

  test('a repeated Idempotency-Key answers with the task it made', async () => {
    const send = (key: string) =>
      galley.call('POST', '/api/v1/tasks', { image_url: `${url}?key`, dedupe: false }, { 'idempotency-key': key });
    const [one, two, other] = [await send('k1'), await send('k1'), await send('k2')].map((answer) => acceptedTaskSchema.parse(answer.body));
    expect(two).toMatchObject({ task_id: one?.task_id, duplicate: true });
    expect(other?.task_id).not.toBe(one?.task_id);
    const reused = await galley.call('POST', '/api/v1/tasks', { image_url: `${url}?another` }, { 'idempotency-key': 'k1' });
    expect([reused.status, reused.body]).toMatchObject([422, { code: 'idempotency_conflict' }]);
  });

  test('bodies that are no request are refused with the field named', async () => {
    expect(await code('/api/v1/tasks', 'POST', { image_url: url, priority: 0 })).toEqual([400, 'invalid_request']);
    expect(await code('/api/v1/tasks', 'POST', { image_url: url, colour: 1 })).toEqual([400, 'invalid_request']);
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    const json = { 'content-type': 'application/json', host: new URL(galley.base).host };
    expect((await galley.raw('POST', '/api/v1/tasks', json, deep)).text).toContain('nested deeper');
    expect((await galley.raw('POST', '/api/v1/tasks', json, '{"image_url":')).text).toContain('not valid JSON');
    expect((await galley.raw('POST', '/api/v1/tasks', { ...json, 'content-encoding': 'gzip' }, 'no gzip')).text).toContain(
      'Content-Encoding',
    );
    expect((await galley.raw('POST', '/api/v1/tasks', { ...json, 'content-type': 'text/plain' }, '{}')).status).toBe(400);
    expect((await galley.raw('POST', '/api/v1/tasks', json, `"${'x'.repeat(2_000_000)}"`)).status).toBe(413);
  });
});

describe('the task list', () => {
  let own: TestServer;
  const list = async (query: string) => taskListSchema.parse((await own.call('GET', `/api/v1/tasks?${query}`)).body);
  const names = async (query: string) => (await list(query)).tasks.map((entry) => entry.filename);

  beforeAll(async () => {
    own = await TestServer.start();
    for (const [name, fields] of [
      ['one.png', { user_id: 'ada', priority: '1' }],
      ['two.png', { user_id: 'ada' }],
      ['three.png', { user_id: 'bo', engine: 'onnx' }],
      ['four.png', {}],
    ] as const) {
      await own.upload([{ name, bytes: pngBytes(name) }], fields);
    }
    const [last] = (await list('limit=1')).tasks;
    await own.call('POST', `/api/v1/tasks/${last?.task_id}/cancel`);
  });
  afterAll(() => own.stop());

  test('filters by state, user, priority, engine and the beginning of a name, and combines them', async () => {
    expect(await names('')).toEqual(['four.png', 'three.png', 'two.png', 'one.png']);
    expect(await names('order=oldest')).toEqual(['one.png', 'two.png', 'three.png', 'four.png']);
    expect(await names('status=pending')).toEqual(['three.png', 'two.png', 'one.png']);
    expect(await names('status=cancelled')).toEqual(['four.png']);
    expect(await names('status=cancelled,pending&order=oldest')).toEqual(['one.png', 'two.png', 'three.png', 'four.png']);
    expect(await names('user_id=ada')).toEqual(['two.png', 'one.png']);
    expect(await names('user_id=ada&priority=urgent')).toEqual(['one.png']);
    expect(await names('engine=onnx')).toEqual(['three.png']);
    expect(await names('q=T')).toEqual(['three.png', 'two.png']);
    expect(await names('q=t&user_id=bo')).toEqual(['three.png']);
    const [one] = (await list('q=one')).tasks;
    expect(await names(`q=${one?.task_id}`)).toEqual(['one.png']);
    expect(await names(`q=${one?.task_id}&user_id=bo`)).toEqual([]);
    expect(await names(`q=${one?.task_id.slice(0, 12)}`)).toContain('one.png');
    expect(await names('type=page&status=pending')).toEqual([]);
  });

  test('pages by a cursor, with an exact total for states, one user or neither', async () => {
    const first = await list('limit=3');
    expect([first.tasks.length, first.total]).toEqual([3, 4]);
    const second = await list(`limit=3&cursor=${first.next_cursor}`);
    expect([second.tasks.map((entry) => entry.filename), second.next_cursor]).toEqual([['one.png'], null]);
    const few = await list('status=pending&limit=2');
    expect([few.tasks.map((entry) => entry.filename), few.total]).toEqual([['three.png', 'two.png'], 3]);
    expect((await list(`status=pending&limit=2&cursor=${few.next_cursor}`)).tasks.map((entry) => entry.filename)).toEqual(['one.png']);
    // One of the four is cancelled.
    expect([(await list('status=pending,cancelled')).total, (await list('status=pending,pending,completed')).total]).toEqual([4, 3]);
    expect([(await list('user_id=ada')).total, (await list('user_id=ada&status=pending')).total, (await list('q=t')).total]).toEqual([
      2,
      null,
      null,
    ]);
  });

  test('refuses what is no filter', async () => {
    for (const query of [
      'status=asleep',
      'limit=0',
      'limit=201',
      'cursor=nonsense',
      'colour=red',
      'q=1&q=2',
      'queue=nowhere',
      'type=page',
    ]) {
      expect((await own.call('GET', `/api/v1/tasks?${query}`)).status, query).toBeGreaterThanOrEqual(400);
    }
  });
});
