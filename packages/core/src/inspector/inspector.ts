import { type StoredTaskEvent, storedTaskEventSchema } from '@galley/contract';
import type { QueueLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { childrenKey, eventsKey, resultKey, tagKey } from '../redis/keys.ts';
import { childId } from '../rules/ids.ts';
import { deadByCode, type Fields, readCounts, readMinutes, readTotals, redisNow } from './counts.ts';
import { countIndex, type ListIndex, type ListQuery, listTasks, type TaskPage } from './list.ts';
import { ReadBuffer, type ResultPart } from './read-buffer.ts';
import { readShard, type ShardState } from './shards.ts';
import { type LoadedTask, loadTask, loadTasks, type TaskView } from './task-view.ts';

/** One step of a task's life; `at` in milliseconds of Redis's clock (docs/library.md says what each tells). */
export type TimelineEntry = StoredTaskEvent;

export interface HeldResult {
  readonly value: string;
  /** Milliseconds of Redis's clock. */
  readonly expiresAt: number;
}

/** Reads a queue; writes nothing. */
export class Inspector {
  readonly layout: QueueLayout;
  private readonly connection: Connection;
  private readonly reads: ReadBuffer;

  constructor(connection: Connection, layout: QueueLayout) {
    this.connection = connection;
    this.layout = layout;
    this.reads = new ReadBuffer(connection);
  }

  async get(id: string): Promise<TaskView | null> {
    return (await this.look(id, 'none'))?.task ?? null;
  }

  /** A task and, read in the same moment, its result: the first bytes (enough for what a worker puts first) or all of it. */
  look(id: string, result: ResultPart): Promise<LoadedTask | null> {
    return loadTask(this.reads, this.layout, id, result);
  }

  getMany(ids: readonly string[]): Promise<(TaskView | null)[]> {
    return loadTasks(this.reads, this.layout, ids);
  }

  list(query: ListQuery): Promise<TaskPage> {
    return listTasks(this.connection, this.layout, this.reads, query);
  }

  count(index: ListIndex): Promise<number> {
    return countIndex(this.connection, this.layout, index);
  }

  /** The result as the worker wrote it; null where none is held. */
  async result(id: string): Promise<HeldResult | null> {
    const shard = this.layout.shardOf(id);
    if (shard === null) return null;
    const key = resultKey(shard.keys.base, id);
    const pipeline = this.connection.client.pipeline();
    pipeline.get(key);
    pipeline.pexpiretime(key);
    const [value, expiry] = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error !== null) throw error;
      return reply;
    });
    return typeof value === 'string' ? { value, expiresAt: Number(expiry) } : null;
  }

  /** A task's timeline, oldest first. */
  async events(id: string): Promise<TimelineEntry[]> {
    const shard = this.layout.shardOf(id);
    if (shard === null) return [];
    const lines = await this.connection.client.lrange(eventsKey(shard.keys.base, id), 0, -1);
    // A newer process may have written events that this one does not know.
    return lines.flatMap((line) => storedTaskEventSchema.safeParse(JSON.parse(line)).data ?? []);
  }

  /** Children of a parent by number, `from` and `to` included; null where one does not exist yet. */
  async children(parentId: string, from: number, to: number): Promise<(TaskView | null)[]> {
    return this.getMany(Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => childId(parentId, from + index)));
  }

  async childrenTotal(parentId: string): Promise<number | null> {
    const shard = this.layout.shardOf(parentId);
    const total = shard === null ? null : await this.connection.client.hget(childrenKey(shard.keys.base, parentId), 'total');
    return total === null ? null : Number(total);
  }

  /**
   * Place in line over all shards, from 1; null where the task is not in line. Claims take tasks of one score from one shard after the
   * other, so of another shard as many of its score count as stand before the task in its own.
   */
  async position(task: TaskView): Promise<number | null> {
    const own = this.layout.shardOf(task.id);
    if (own === null || task.state !== 'pending') return null;
    const ranks = await Promise.all(
      this.layout.shardList.map((shard) => this.reads.rank(shard, task.score, shard === own ? task.id : null)),
    );
    const before = ranks[own.index]?.same;
    return before === undefined
      ? null
      : ranks.reduce((sum, rank) => (rank === null ? sum : sum + rank.better + Math.min(rank.same, before)), 1);
  }

  shards(): Promise<ShardState[]> {
    return Promise.all(this.layout.shardList.map((shard) => readShard(this.connection, this.layout, shard)));
  }

  counts(): Promise<Fields> {
    return readCounts(this.connection, this.layout);
  }

  totals(): Promise<Fields> {
    return readTotals(this.connection, this.layout);
  }

  minutes(minutes: readonly number[]): Promise<Fields[]> {
    return readMinutes(this.connection, this.layout, minutes);
  }

  now(): Promise<number> {
    return redisNow(this.connection);
  }

  async isPaused(): Promise<boolean> {
    const [first] = this.layout.shardList;
    return first !== undefined && (await this.connection.client.exists(first.keys.paused)) === 1;
  }

  async deadByCode(): Promise<Record<string, number>> {
    return deadByCode(await this.counts());
  }

  /** Dead letters of a code by hour of death, oldest first, the last `hours` hours. */
  async deadPerHour(code: string, now: number, hours: number): Promise<number[]> {
    const HOUR = 3_600_000;
    const perShard = await Promise.all(
      this.layout.shardList.map(async (shard) => {
        const pipeline = this.connection.client.pipeline();
        for (let hour = hours; hour > 0; hour--)
          pipeline.zcount(tagKey(shard.keys.base, 'code', code), `(${now - hour * HOUR}`, now - (hour - 1) * HOUR);
        return ((await pipeline.exec()) ?? []).map(([, value]) => Number(value ?? 0));
      }),
    );
    return Array.from({ length: hours }, (_, hour) => perShard.reduce((sum, own) => sum + (own[hour] ?? 0), 0));
  }
}
