import {
  type AcceptedDocument,
  acceptedTaskSchema,
  type DeadLetterList,
  deadLetterListSchema,
  operationSchema,
  operationStartedSchema,
  type Problem,
  problemSchema,
  type QueueSnapshot,
  queueSnapshotSchema,
  ROUTES,
  type RouteName,
  routePath,
  type SubmitDocuments,
  submitDocumentsSchema,
  type Task,
  type TaskEvent,
  taskEventsSchema,
  taskSchema,
  type Worker,
  workerListSchema,
} from '@galley/contract';
import { expect } from '@playwright/test';

/** A file as a test makes it: its bytes, and the name that it claims. */
export interface TestFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** How long a task may take on a busy machine before a test calls it stuck. */
const TASK_LIMIT_MS = 45_000;
const POLL_INTERVALS_MS = [50, 100, 200];

/** Parses what the server answered by the contract. */
interface Schema<T> {
  parse(value: unknown): T;
}

/** Galley's HTTP API as a program uses it, parsed by the contract. */
export class Api {
  private readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  url(route: RouteName, parameters: Readonly<Record<string, string | number>> = {}): string {
    return this.address + routePath(route, parameters);
  }

  /** The answer whatever its status. */
  async call(
    route: RouteName,
    options: { readonly parameters?: Record<string, string | number>; readonly body?: unknown } = {},
  ): Promise<Answer> {
    const { body } = options;
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return readAnswer(await fetch(this.url(route, options.parameters), { method: ROUTES[route].method, ...sent }));
  }

  async task(id: string): Promise<Task> {
    return this.read(taskSchema, 'getTask', { id });
  }

  /** The task's timeline, oldest first. */
  async events(id: string): Promise<TaskEvent[]> {
    const { events } = await this.read(taskEventsSchema, 'getTaskEvents', { id });
    return events.toSorted((a, b) => a.at.localeCompare(b.at));
  }

  async workers(): Promise<Worker[]> {
    return (await this.read(workerListSchema, 'listWorkers')).workers;
  }

  async deadLetters(): Promise<DeadLetterList> {
    return this.read(deadLetterListSchema, 'listDeadLetters');
  }

  async queue(): Promise<QueueSnapshot> {
    return this.read(queueSnapshotSchema, 'getQueue');
  }

  async pause(): Promise<void> {
    await this.read(queueSnapshotSchema, 'pauseQueue');
  }

  async resume(): Promise<void> {
    await this.read(queueSnapshotSchema, 'resumeQueue');
  }

  async cancel(id: string): Promise<void> {
    await this.call('cancelTask', { parameters: { id } });
  }

  /** Reads a picture at an address. `fields`: what else the request may say. */
  async submitUrl(imageUrl: string, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { status, body } = await this.call('submitTask', { body: { image_url: imageUrl, ...fields } });
    expect(status, JSON.stringify(body)).toBe(202);
    return acceptedTaskSchema.parse(body).task_id;
  }

  /** Uploads files in one request; the answer whatever its status. */
  async upload(files: readonly TestFile[], fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const { name, bytes } of files) form.append('file', new Blob([new Uint8Array(bytes)]), name);
    return readAnswer(await fetch(this.url('submitDocuments'), { method: 'POST', body: form }));
  }

  /** Uploads one file that the server has to accept. */
  async submit(file: TestFile, fields: Readonly<Record<string, string>> = {}): Promise<AcceptedDocument> {
    const { status, body } = await this.upload([file], fields);
    expect(status, JSON.stringify(body)).toBe(202);
    const [document] = submitDocumentsSchema.parse(body).documents;
    if (document === undefined) throw new Error(`${file.name} was not accepted: ${JSON.stringify(body)}`);
    return document;
  }

  /** Waits for the API's word that the task is as wanted. `what`: the wish, for the message where it never is. */
  async until(id: string, what: string, accepts: (task: Task) => boolean): Promise<Task> {
    let last: Task | undefined;
    await expect
      .poll(
        async () => {
          last = await this.task(id);
          return accepts(last) || JSON.stringify({ wanted: what, status: last.status, fence: last.fence, errors: last.errors });
        },
        { timeout: TASK_LIMIT_MS, intervals: POLL_INTERVALS_MS },
      )
      .toBe(true);
    if (last === undefined) throw new Error('a poll that ended has read the task');
    return last;
  }

  async untilState(id: string, state: Task['status']): Promise<Task> {
    return this.until(id, state, ({ status }) => status === state);
  }

  /** Waits until every worker that is asked for is alive and none is busy. */
  async untilIdle(workers: number): Promise<void> {
    await expect
      .poll(async () => (await this.workers()).map(({ busy }) => busy), { timeout: TASK_LIMIT_MS, intervals: POLL_INTERVALS_MS })
      .toEqual(Array.from({ length: workers }, () => 0));
  }

  /** Removes every dead letter, so that the next test counts its own alone. */
  async purgeDeadLetters(): Promise<void> {
    const { body } = await this.call('purgeDeadLetters', { body: { all: true } });
    const { operation_id: id } = operationStartedSchema.parse(body);
    await expect
      .poll(async () => (await this.read(operationSchema, 'getOperation', { id })).state, { intervals: POLL_INTERVALS_MS })
      .toBe('done');
  }

  async text(id: string, format: 'text' | 'markdown' = 'text'): Promise<string> {
    const response = await fetch(`${this.url('getTaskResult', { id })}?format=${format}`);
    expect(response.status).toBe(200);
    return response.text();
  }

  private async read<T>(schema: Schema<T>, route: RouteName, parameters: Record<string, string | number> = {}): Promise<T> {
    const { status, body } = await this.call(route, { parameters });
    expect(status, `${route}: ${JSON.stringify(body)}`).toBeLessThan(300);
    return schema.parse(body);
  }
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body };
}

export function problemOf({ body }: Answer): Problem {
  return problemSchema.parse(body);
}

/** What an upload was answered with: a problem carries the same lists when nothing was accepted. */
export function submittedOf({ body }: Answer): SubmitDocuments {
  return submitDocumentsSchema.parse(body);
}

/** As people compare texts: white space folded. */
export function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
