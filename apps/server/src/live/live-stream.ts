import { CLIENT_EVENTS, GalleyError, type LiveDeadLetters, type LiveTask, OCR_QUEUE, operationSchema } from '@galley/contract';
import { Feed, type FeedEvent, type Lifecycle } from '@galley/core';
import type * as z from 'zod/mini';
import { parseInput } from '../http/exchange.ts';
import { problemOf, toGalleyError } from '../http/problem.ts';
import type { SnapshotWithDead } from '../queue/snapshots.ts';
import type { Services } from '../services.ts';
import { findTask, wholeTask } from '../tasks/task-reader.ts';
import { LivePages } from './live-pages.ts';
import type { LiveClient, LiveNamespace } from './live-socket.ts';
import { MessageBudget } from './message-budget.ts';
import { QueueRooms } from './queue-rooms.ts';
import { WATCHES_PER_CLIENT, Watches } from './watches.ts';

const TICK_MS = 1_000;
/** Changes of a watched task within this time travel in one message. */
const GATHER_MS = 100;
const ADMIN_ROOM = 'admins';
/** Events that may bury or revive tasks. Where as many died as were revived between two looks, the counts alone do not tell. */
const DEAD_VERBS: ReadonlySet<string> = new Set(['failed', 'reaped', 'revived']);

/** The live stream: snapshots of followed queues, watched tasks, dead letters and operations (contract/live.ts). */
export class LiveStream implements Lifecycle {
  private readonly services: Services;
  private readonly live: LiveNamespace;
  private readonly watches = new Watches<LiveClient>();
  private readonly pages: LivePages;
  private readonly rooms: QueueRooms;
  private readonly changed = new Set<string>();
  private readonly followed = new Set<string>();
  private readonly lastDead = new Map<string, string>();
  /** Queues whose dead letters may be others than were last told of, whatever their counts. */
  private readonly stirred = new Set<string>();
  private feed: Feed | null = null;
  private ticker: NodeJS.Timeout | null = null;
  private gathering: NodeJS.Timeout | null = null;
  private ticking = false;

  constructor(services: Services, live: LiveNamespace) {
    this.services = services;
    this.live = live;
    this.pages = new LivePages(services.blobs);
    this.rooms = new QueueRooms(live);
    live.on('connection', (client) => this.welcome(client));
  }

  start(): void {
    if (this.ticker !== null) return;
    const feed = new Feed(this.services.connection, { onEvent: (event) => this.heard(event), onOperation: (text) => this.operated(text) });
    this.feed = feed;
    const failed = (error: unknown): void => this.services.logger.warn({ err: error }, 'the live stream hears no events; it still ticks');
    feed.followOperations().catch(failed);
    this.followQueues(feed);
    this.ticker = setInterval(() => void this.tick(), TICK_MS);
  }

  async stop(): Promise<void> {
    if (this.ticker !== null) clearInterval(this.ticker);
    if (this.gathering !== null) clearTimeout(this.gathering);
    this.ticker = null;
    this.gathering = null;
    this.feed?.close();
    this.feed = null;
    this.rooms.stop();
  }

  /** Queues that were met since the last look, too. */
  private followQueues(feed: Feed): void {
    for (const { queue } of this.services.queues.all()) {
      if (this.followed.has(queue.name)) continue;
      this.followed.add(queue.name);
      feed.follow(queue.layout).catch((error: unknown) => {
        this.followed.delete(queue.name);
        this.services.logger.warn({ err: error, queue: queue.name }, 'the events of a queue are not heard; it is tried again');
      });
    }
  }

  private welcome(client: LiveClient): void {
    client.data.queue = OCR_QUEUE;
    const budget = new MessageBudget();
    client.use((_packet, next) => {
      if (budget.spend()) next();
      else client.disconnect(true);
    });
    if (client.data.principal.role === 'admin') void client.join(ADMIN_ROOM);
    this.on(client, 'watch', CLIENT_EVENTS.watch, async ({ task_id: taskId }) => this.watch(client, taskId));
    this.on(client, 'unwatch', CLIENT_EVENTS.unwatch, async ({ task_id: taskId }) => this.watches.remove(client, taskId));
    this.on(client, 'follow', CLIENT_EVENTS.follow, async ({ queue }) => this.follow(client, queue));
    client.on('disconnect', () => {
      for (const taskId of this.watches.removeClient(client)) this.pages.forget(taskId);
    });
    this.follow(client, OCR_QUEUE).catch((error: unknown) =>
      this.services.logger.debug({ err: error }, 'a client was welcomed without a snapshot'),
    );
  }

  /** Parses a message, acts on it, and tells the client what became of it where it asked. */
  private on<Message>(
    client: LiveClient,
    event: keyof typeof CLIENT_EVENTS,
    schema: z.ZodMiniType<Message>,
    act: (message: Message) => Promise<void>,
  ): void {
    client.on(event, (message: unknown, answer?: unknown) => {
      const reply = (body: object): void => {
        if (typeof answer === 'function') Reflect.apply(answer, undefined, [body]);
      };
      this.services.redis
        .during(async () => act(parseInput(schema, message, event)))
        .then(
          () => reply({ ok: true }),
          (error: unknown) => {
            const known = toGalleyError(error);
            if (known.code === 'internal_error') this.services.logger.error({ err: error, event }, 'a live message failed');
            reply({ ok: false, problem: problemOf(known, client.id).body });
          },
        );
    });
  }

  /** A full snapshot goes first and at once: after it, one a second. */
  private async follow(client: LiveClient, queue: string): Promise<void> {
    const served = await this.services.queues.get(queue);
    const { snapshot, dead } = await this.services.snapshots.read(served);
    await this.rooms.leave(client);
    client.data.queue = queue;
    client.emit('snapshot', snapshot);
    client.emit('dead_letters', deadLettersOf(queue, dead));
    await this.rooms.join(client, queue);
  }

  private async watch(client: LiveClient, taskId: string): Promise<void> {
    const task = await this.readTask(client, taskId);
    if (!client.connected) return;
    if (!this.watches.add(client, taskId)) {
      throw new GalleyError('invalid_request', `at most ${WATCHES_PER_CLIENT} tasks can be watched at once`);
    }
    tellTask(client, task);
  }

  private async readTask(client: LiveClient, taskId: string): Promise<LiveTask> {
    const found = await findTask(this.services, client.data.principal, taskId, 'head');
    const [task, pages] = await Promise.all([wholeTask(this.services, found, true), this.pages.read(found, found.task)]);
    return { ...task, page_states: pages };
  }

  private heard(event: FeedEvent): void {
    if (DEAD_VERBS.has(event.verb)) this.stirred.add(event.queue);
    this.pages.touch(event.taskIds);
    for (const id of this.watches.touched(event.taskIds)) this.changed.add(id);
    if (this.changed.size === 0 || this.gathering !== null) return;
    this.gathering = setTimeout(() => {
      this.gathering = null;
      void this.tell();
    }, GATHER_MS);
  }

  private operated(text: string): void {
    try {
      const { operation_id, state, done, total } = operationSchema.parse(JSON.parse(text));
      this.live.to(ADMIN_ROOM).emit('operation', { operation_id, state, done, total });
    } catch (error) {
      this.services.logger.warn({ err: error }, "an operation's progress could not be read");
    }
  }

  /** Sends each changed task to its watchers; each task is read once. */
  private async tell(): Promise<void> {
    const ids = [...this.changed];
    this.changed.clear();
    if (!this.services.redis.isUp()) return;
    await Promise.all(ids.map((id) => this.tellOne(id)));
  }

  private async tellOne(id: string): Promise<void> {
    const watchers = this.watches.watchers(id);
    const [first] = watchers;
    if (first === undefined) {
      this.pages.forget(id);
      return;
    }
    try {
      const task = await this.readTask(first, id);
      for (const client of watchers) tellTask(client, task);
    } catch (error) {
      // A purged task has nothing more to tell; a failed read is made good by the next tick.
      if (toGalleyError(error).code === 'task_not_found') for (const client of watchers) this.watches.remove(client, id);
      else this.services.logger.debug({ err: error, task: id }, 'a watched task could not be read');
    }
  }

  private async tick(): Promise<void> {
    if (this.ticking || !this.services.redis.isUp()) return;
    this.ticking = true;
    if (this.feed !== null) this.followQueues(this.feed);
    try {
      await this.services.redis.during(async () => {
        await Promise.all([this.tellSnapshots(), this.tellRunning()]);
      });
    } catch (error) {
      this.services.logger.debug({ err: error }, 'a tick of the live stream was left out');
    } finally {
      this.ticking = false;
    }
  }

  private async tellSnapshots(): Promise<void> {
    for (const served of this.services.queues.all()) {
      const { name } = served.queue;
      if (!this.rooms.isFollowed(name)) continue;
      // Before it is read: what happens meanwhile is told by the next tick.
      const stirred = this.stirred.delete(name);
      const state: SnapshotWithDead = await this.services.snapshots.read(served);
      this.rooms.tellSnapshot(name, state.snapshot);
      const dead = deadLettersOf(name, state.dead);
      const text = JSON.stringify(dead);
      if (stirred || this.lastDead.get(name) !== text) this.rooms.tellDead(name, dead);
      this.lastDead.set(name, text);
    }
  }

  /** Progress is not an event of its own, so running tasks are read every second. */
  private async tellRunning(): Promise<void> {
    for (const { queue, inspector } of this.services.queues.all()) {
      const own = this.watches.taskIds().filter((id) => queue.shardOf(id) !== null);
      if (own.length === 0) continue;
      for (const view of await inspector.getMany(own)) {
        if (view !== null && (view.state === 'processing' || view.state === 'waiting' || view.state === 'pending'))
          this.changed.add(view.id);
      }
    }
    await this.tell();
  }
}

/** Stack traces are for admins. */
function tellTask(client: LiveClient, task: LiveTask): void {
  if (client.data.principal.role === 'admin') client.emit('task', task);
  else client.emit('task', { ...task, errors: task.errors.map(({ stack: _stack, ...error }) => error) });
}

function deadLettersOf(queue: string, byCode: Readonly<Record<string, number>>): LiveDeadLetters {
  return { queue, total: Object.values(byCode).reduce((sum, count) => sum + count, 0), by_code: { ...byCode } };
}
