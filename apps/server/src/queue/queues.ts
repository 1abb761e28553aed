import { GalleyError, OCR_QUEUE } from '@galley/contract';
import {
  type Connection,
  findLayout,
  Inspector,
  type LoadedTask,
  parseTaskId,
  Queue,
  type QueueOptions,
  queueNames,
  type ResultPart,
} from '@galley/core';

/** A queue with its reader. */
export interface ServedQueue {
  readonly queue: Queue;
  readonly inspector: Inspector;
}

/** Every queue there is in Redis; this server's own are created where they do not exist. */
export class Queues {
  private readonly connection: Connection;
  private readonly options: QueueOptions;
  private readonly own: readonly string[];
  private readonly served = new Map<string, ServedQueue>();

  /** `own`: the queues that `options` are for. */
  constructor(connection: Connection, own: readonly string[], options: QueueOptions) {
    this.connection = connection;
    this.own = own;
    this.options = options;
  }

  /** Opens what there is. */
  async open(): Promise<void> {
    for (const name of this.own) await this.serve(name, this.options);
    for (const name of await queueNames(this.connection)) await this.get(name);
  }

  /** @throws GalleyError `queue_not_found` */
  async get(name: string = OCR_QUEUE): Promise<ServedQueue> {
    const known = this.served.get(name);
    if (known !== undefined) return known;
    if ((await findLayout(this.connection, name)) === null) throw new GalleyError('queue_not_found', `there is no queue "${name}"`);
    // How long another program's tasks are kept is that program's to say.
    return this.serve(name, {});
  }

  /** The queue that an id names. @throws GalleyError `task_not_found` where it names none */
  async ofTask(id: string): Promise<ServedQueue> {
    const parsed = parseTaskId(id);
    if (parsed === null) throw taskNotFound(id);
    try {
      return await this.get(parsed.queue);
    } catch (error) {
      if (error instanceof GalleyError && error.code === 'queue_not_found') throw taskNotFound(id);
      throw error;
    }
  }

  /** A task with as much of its stored result as is asked for. @throws GalleyError `task_not_found` */
  async task(id: string, part: ResultPart = 'none'): Promise<ServedQueue & LoadedTask> {
    const { queue, inspector } = await this.ofTask(id);
    const loaded = await inspector.look(id, part);
    if (loaded === null) throw taskNotFound(id);
    return { queue, inspector, task: loaded.task, result: loaded.result };
  }

  all(): ServedQueue[] {
    return [...this.served.values()].sort((a, b) => (a.queue.name < b.queue.name ? -1 : 1));
  }

  private async serve(name: string, options: QueueOptions): Promise<ServedQueue> {
    const queue = await Queue.open(this.connection, name, options);
    const served = { queue, inspector: new Inspector(this.connection, queue.layout) };
    this.served.set(name, served);
    return served;
  }
}

export function taskNotFound(id: string): GalleyError {
  return new GalleyError('task_not_found', `there is no task "${id.slice(0, 128)}"`);
}
