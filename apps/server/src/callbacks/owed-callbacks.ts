import type { Connection } from '@galley/core';
import * as z from 'zod/mini';
import { owedCallbacksKey } from '../redis/keys.ts';

/** A callback that is to be sent when its task has ended. */
export interface OwedCallback {
  /** Of the hash. */
  readonly field: string;
  readonly taskId: string;
  readonly url: string;
  /** The fence of the run whose death was told; null while nothing was. A task that is revived is told of again. */
  readonly told: number | null;
}

const storedSchema = z.object({ url: z.string(), told: z.nullable(z.int()) });
const SCAN_COUNT = 500;

function parseOwed(field: string, text: string): OwedCallback {
  const [taskId = ''] = field.split(' ', 1);
  return { field, taskId, ...storedSchema.parse(JSON.parse(text)) };
}

/**
 * The callbacks that are owed, in Redis. The first of a task stands under its id, so that an event about it finds it at once; others,
 * asked for by those whose submits found the task already there, stand behind it and are found by looking through.
 */
export class OwedCallbacks {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async add(taskId: string, url: string): Promise<void> {
    const { client } = this.connection;
    const text = JSON.stringify({ url, told: null });
    if ((await client.hsetnx(owedCallbacksKey, taskId, text)) === 1) return;
    const first = await client.hget(owedCallbacksKey, taskId);
    if (first !== null && parseOwed(taskId, first).url !== url) await client.hset(owedCallbacksKey, `${taskId} ${url}`, text);
  }

  async count(): Promise<number> {
    return this.connection.client.hlen(owedCallbacksKey);
  }

  async ofTasks(taskIds: readonly string[]): Promise<OwedCallback[]> {
    if (taskIds.length === 0) return [];
    const texts = await this.connection.client.hmget(owedCallbacksKey, ...taskIds);
    return taskIds.flatMap((taskId, index) => {
      const text = texts[index] ?? null;
      return text === null ? [] : [parseOwed(taskId, text)];
    });
  }

  /** Some of them, from `cursor` on (`0`: from the beginning), and where to go on. */
  async scan(cursor: string): Promise<{ readonly cursor: string; readonly owed: OwedCallback[] }> {
    const [next, flat] = await this.connection.client.hscan(owedCallbacksKey, cursor, 'COUNT', SCAN_COUNT);
    const owed = flat.flatMap((field, index) => (index % 2 === 0 ? [parseOwed(field, flat[index + 1] ?? '')] : []));
    return { cursor: next, owed };
  }

  async told(owed: OwedCallback, fence: number): Promise<void> {
    await this.connection.client.hset(owedCallbacksKey, owed.field, JSON.stringify({ url: owed.url, told: fence }));
  }

  async remove(owed: OwedCallback): Promise<void> {
    await this.connection.client.hdel(owedCallbacksKey, owed.field);
  }
}
