import {
  CALLBACK_QUEUE,
  CALLBACK_TASK,
  type CallbackBody,
  callbackPayloadSchema,
  problemSchema,
  submitDocumentsSchema,
} from '@galley/contract';
import { connectRedis, inProcess, Queue, Worker } from '@galley/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { owedCallbacksKey } from '../redis/keys.ts';
import { readsAs, refusesAll } from '../testing/documents.ts';
import { type Answer, pngBytes, TestServer } from '../testing/start.ts';

const SECRET = 'sixteen-characters';
let galley: TestServer;
let sender: Worker;
const sent: { readonly url: string; readonly body: CallbackBody }[] = [];

beforeAll(async () => {
  galley = await TestServer.start({ GALLEY_CALLBACK_SECRET: SECRET });
  // Stands where the worker's sender stands, and writes down what it is handed.
  const connection = connectRedis(galley.redis.url);
  const queue = await Queue.open(connection, CALLBACK_QUEUE);
  const handlers = {
    [CALLBACK_TASK]: async ({ payload }: { payload: unknown }) => {
      const { url, body } = callbackPayloadSchema.parse(payload);
      sent.push({ url, body });
      return { status: 200 };
    },
  };
  sender = new Worker({ connection, queues: [queue], executor: inProcess(handlers), slots: 4 });
  await sender.start();
  closeSender = async () => {
    await sender.stop(0);
    await connection.close();
  };
});
let closeSender: () => Promise<void> = () => Promise.resolve();
afterAll(async () => {
  await closeSender();
  await galley.stop();
});

const urlOf = (name: string): string => `https://receiver.example/${name}`;
const events = (name: string): string[] => sent.filter(({ url }) => url === urlOf(name)).map(({ body }) => body.event);
const until = (name: string, ...expected: string[]): Promise<void> => vi.waitFor(() => expect(events(name)).toEqual(expected), 10_000);
const idOf = (answer: Answer): string => submitDocumentsSchema.parse(answer.body).documents[0]?.task_id ?? '';
const upload = async (mark: string, name = mark): Promise<string> =>
  idOf(await galley.upload([{ name: `${mark}.png`, bytes: pngBytes(mark) }], { callback_url: urlOf(name) }));

test('without a secret a callback is refused by name, and nothing is taken', async () => {
  const plain = await TestServer.start();
  const refused = await plain.upload([{ name: 'a.png', bytes: pngBytes('a') }], { callback_url: urlOf('a') });
  expect([refused.status, problemSchema.parse(refused.body).code]).toEqual([501, 'not_implemented']);
  const task = await plain.call('POST', '/api/v1/tasks', { image_url: 'https://pictures.example/1.png', callback_url: urlOf('a') });
  expect(task.status).toBe(501);
  expect(await plain.storedFiles()).toEqual([]);
  await plain.stop();
});

test('a cancelled task is told of, for documents and for URLs', async () => {
  const id = await upload('cancelled');
  await galley.call('POST', `/api/v1/tasks/${id}/cancel`);
  await until('cancelled', 'task.cancelled');
  expect(sent.at(-1)?.body.task).toMatchObject({ task_id: id, status: 'cancelled', filename: 'cancelled.png' });
  const body = { image_url: 'https://pictures.example/1.png', callback_url: urlOf('url') };
  const { task_id: taskId } = (await galley.call('POST', '/api/v1/tasks', body)).body as { task_id: string };
  await galley.call('POST', `/api/v1/tasks/${taskId}/cancel`);
  await until('url', 'task.cancelled');
  // Callbacks are no documents: the list has none of them, and counts none.
  const list = '/api/v1/tasks?queue=callbacks&status=pending,processing,completed,dead_letter';
  expect((await galley.call('GET', list)).body).toMatchObject({ tasks: [], total: 0 });
});

test('a dead letter is told of once, and again when it is revived and ends otherwise', async () => {
  const worker = await galley.work(refusesAll);
  const id = await upload('torn');
  await until('torn', 'task.dead_letter');
  expect(sent.at(-1)?.body.task.errors).toMatchObject([{ code: 'corrupt_document' }]);
  expect(JSON.stringify(sent.at(-1))).not.toContain('"stack"');
  await worker.stop(0);
  await galley.work(readsAs(galley.blobs, 'mended'));
  await galley.call('POST', '/api/v1/dead-letters/retry', { task_ids: [id] });
  await until('torn', 'task.dead_letter', 'task.completed');
});

test('everyone who submits the same bytes with an address of their own is told, also after the end', async () => {
  const id = await upload('same', 'first');
  expect(await upload('same', 'second')).toBe(id);
  await until('first', 'task.completed');
  await until('second', 'task.completed');
  expect(await upload('same', 'late')).toBe(id);
  await until('late', 'task.completed');
  await vi.waitFor(async () => expect(await galley.connection.client.hlen(owedCallbacksKey)).toBe(0));
});

test('an end that no server heard is found by the sweep of one that starts later', async () => {
  const field = await upload('missed', 'missed-first');
  await until('missed-first', 'task.completed');
  // As it stands when every server was down while the task ended.
  const other = await TestServer.beside(galley, { GALLEY_CALLBACK_SECRET: SECRET });
  await galley.connection.client.hset(owedCallbacksKey, field, JSON.stringify({ url: urlOf('missed'), told: null }));
  await until('missed', 'task.completed');
  await other.stop();
});
