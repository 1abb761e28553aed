import {
  CALLBACK_QUEUE,
  CALLBACK_TASK,
  type CallbackBody,
  type CallbackPayload,
  GalleyError,
  isFinal,
  OCR_QUEUE,
  type TaskState,
} from '@galley/contract';
import { Chore, type Connection, Feed, type Lifecycle, parseTaskId, Queue, type TaskView } from '@galley/core';
import type { Logger } from 'pino';
import type { Queues } from '../queue/queues.ts';
import { isoTime, taskAnswer } from '../tasks/task-answer.ts';
import { type OwedCallback, OwedCallbacks } from './owed-callbacks.ts';

const SWEEP_MS = 1_000;
/** Ends that are heard within this time are looked at together. */
const GATHER_MS = 50;
const ENDING_VERBS: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed', 'reaped']);
/** Waits of 1, 2, 4 … seconds up to an hour each: some five hours in all. */
const CALLBACK_RETRIES = 16;
const CALLBACK_SHARDS = 2;
const ERROR_MESSAGE_LENGTH = 1_000;

const EVENTS: Partial<Record<TaskState, CallbackBody['event']>> = {
  completed: 'task.completed',
  cancelled: 'task.cancelled',
  dead_letter: 'task.dead_letter',
};

export interface CallbacksOptions {
  readonly connection: Connection;
  readonly queues: Queues;
  readonly logger: Logger;
  /** Whether they can be signed; otherwise none is taken. */
  readonly enabled: boolean;
  readonly now?: () => number;
}

/**
 * Sees to it that each task with a `callback_url` gets its callback when it has ended: as a task of its own in the queue of callbacks.
 * What is owed stands in Redis before submit answers. Events tell of ends at once; a sweep finds those that no event told of, as after
 * a restart. Any number of servers do this side by side: the same callback has the same identity, so it is one task.
 */
export class Callbacks implements Lifecycle {
  private readonly options: CallbacksOptions;
  private readonly owed: OwedCallbacks;
  private readonly sweeper: Chore;
  private readonly ended = new Set<string>();
  private queue: Promise<Queue> | null = null;
  private feed: Feed | null = null;
  private gathering: NodeJS.Timeout | null = null;
  private cursor = '0';
  private anyOwed = true;

  constructor(options: CallbacksOptions) {
    this.options = options;
    this.owed = new OwedCallbacks(options.connection);
    const { connection, logger } = options;
    this.sweeper = new Chore({ name: 'callbacks', periodMs: SWEEP_MS, connection, logger, pass: () => this.sweep() });
  }

  start(): void {
    if (this.feed !== null) return;
    const feed = new Feed(this.options.connection, {
      onEvent: ({ verb, taskIds }) => {
        if (this.anyOwed && ENDING_VERBS.has(verb)) this.heard(taskIds);
      },
    });
    this.feed = feed;
    for (const { queue } of this.options.queues.all()) {
      feed.follow(queue.layout).catch((error: unknown) => {
        this.options.logger.debug({ err: error, queue: queue.name }, 'ends of tasks are found by the sweep of callbacks alone');
      });
    }
    this.sweeper.start();
  }

  async stop(): Promise<void> {
    this.feed?.close();
    this.feed = null;
    if (this.gathering !== null) clearTimeout(this.gathering);
    this.gathering = null;
    await this.sweeper.stop();
  }

  /** @throws GalleyError `not_implemented` where a callback is asked for and none can be signed: it would be waited for in vain */
  requireEnabled(url: string | undefined): void {
    if (url === undefined || this.options.enabled) return;
    throw new GalleyError(
      'not_implemented',
      'callbacks are not sent here, since GALLEY_CALLBACK_SECRET is not set: leave callback_url out',
    );
  }

  /** Notes that a task's end is to be told; to be called before its submitter is answered. */
  async owe(taskId: string, state: TaskState, url: string | undefined): Promise<void> {
    if (url === undefined) return;
    await this.owed.add(taskId, url);
    this.anyOwed = true;
    if (isFinal(state)) this.heard([taskId]);
  }

  private heard(taskIds: readonly string[]): void {
    for (const id of taskIds) if (!id.includes('.')) this.ended.add(id);
    if (this.ended.size === 0 || this.gathering !== null) return;
    this.gathering = setTimeout(() => {
      this.gathering = null;
      const ids = [...this.ended];
      this.ended.clear();
      // What fails here is found again by the sweep.
      this.owed
        .ofTasks(ids)
        .then((owed) => this.settle(owed))
        .catch((error: unknown) => this.options.logger.debug({ err: error }, 'a callback is left to the sweep'));
    }, GATHER_MS);
  }

  private async sweep(): Promise<boolean> {
    this.anyOwed = (await this.owed.count()) > 0;
    if (!this.anyOwed) return false;
    const { cursor, owed } = await this.owed.scan(this.cursor);
    this.cursor = cursor;
    await this.settle(owed);
    return false;
  }

  private async settle(owed: readonly OwedCallback[]): Promise<void> {
    const byQueue = new Map<string, OwedCallback[]>();
    for (const entry of owed) {
      const name = parseTaskId(entry.taskId)?.queue ?? OCR_QUEUE;
      byQueue.set(name, [...(byQueue.get(name) ?? []), entry]);
    }
    for (const [name, own] of byQueue) {
      const { inspector } = await this.options.queues.get(name);
      const views = await inspector.getMany(own.map(({ taskId }) => taskId));
      await Promise.all(own.map((entry, index) => this.settleOne(entry, views[index] ?? null)));
    }
  }

  private async settleOne(entry: OwedCallback, view: TaskView | null): Promise<void> {
    // Forgotten, by retention or by whoever deleted it: nobody can be told anything of it.
    if (view === null) return this.owed.remove(entry);
    const event = EVENTS[view.state];
    if (event === undefined || (view.state === 'dead_letter' && entry.told === view.fence)) return;
    await this.send(entry, view, event);
    // A dead letter may yet be revived and end otherwise.
    await (view.state === 'dead_letter' ? this.owed.told(entry, view.fence) : this.owed.remove(entry));
  }

  private async send({ taskId, url }: OwedCallback, view: TaskView, event: CallbackBody['event']): Promise<void> {
    const task = taskAnswer(view);
    const errors = task.errors.slice(-1).map((error) => ({ ...error, message: error.message.slice(0, ERROR_MESSAGE_LENGTH) }));
    const body: CallbackBody = { event, at: isoTime((this.options.now ?? Date.now)()), task: { ...task, errors } };
    const payload: CallbackPayload = { url, task_id: taskId, body };
    const queue = await this.open();
    await queue.submit(CALLBACK_TASK, payload, {
      identity: [CALLBACK_TASK, taskId, url, event, String(view.fence)],
      maxRetries: CALLBACK_RETRIES,
      tags: view.header.tags?.['user'] === undefined ? {} : { user: view.header.tags['user'] },
    });
  }

  private open(): Promise<Queue> {
    this.queue ??= Queue.open(this.options.connection, CALLBACK_QUEUE, { shards: CALLBACK_SHARDS }).catch((error: unknown) => {
      this.queue = null;
      throw error;
    });
    return this.queue;
  }
}
