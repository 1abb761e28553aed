import { randomBytes } from 'node:crypto';
import type { TaskState } from '@galley/contract';
import { Inspector } from '../inspector/inspector.ts';
import type { TaskView } from '../inspector/task-view.ts';
import type { ShardLayout } from '../queue/layout.ts';
import { Queue, type QueueOptions } from '../queue/queue.ts';
import { timelineMs } from '../queue/settings.ts';
import type { SubmitOptions } from '../queue/submit-options.ts';
import { type Connection, connectRedis, prepareCall } from '../redis/connection.ts';
import { recordsKey, replayKey } from '../redis/keys.ts';
import { startTemporaryRedisServer, type TemporaryRedisServer } from '../redis-server/index.ts';
import { bucketOf, parseTaskId } from '../rules/ids.ts';
import type { Json } from '../rules/message.ts';
import { type ClaimedRow, type ClaimReply, claimScript, parseClaim } from '../scripts/claim.ts';
import { type CompleteWord, completeRun, completeScript, parseComplete } from '../scripts/complete.ts';
import { type FailWord, failScript, parseFail } from '../scripts/fail.ts';
import { type FanOutReply, fanOutScript, parseFanOut } from '../scripts/fan_out.ts';
import { parsePromote, promoteScript } from '../scripts/promote.ts';
import { parseReap, type ReapedRow, reapScript } from '../scripts/reap.ts';
import { parseRelease, type ReleaseWord, releaseScript } from '../scripts/release.ts';
import { parseRenew, type RenewWord, renewScript } from '../scripts/renew.ts';
import { parseTrim, trimScript } from '../scripts/trim.ts';
import { readWorld, type ShardWorld } from './world.ts';

/** A Redis of its own and a connection to it, for one test file. */
export interface TestRedis<Server extends { readonly url: string } = TemporaryRedisServer> {
  readonly server: Server;
  readonly connection: Connection;
  stop(): Promise<void>;
}

export async function startTestRedis(options: { appendfsync?: 'always' | 'everysec' } = {}): Promise<TestRedis> {
  const server = await startTemporaryRedisServer(options.appendfsync === undefined ? {} : { appendfsync: options.appendfsync });
  const connection = connectRedis(server.url);
  return {
    server,
    connection,
    stop: async () => {
      await connection.close();
      await server.stop();
    },
  };
}

export type { ShardWorld } from './world.ts';

/**
 * A queue of one shard (unless told otherwise) with its verbs called one at a time, as any holder: tests say exactly who
 * does what when. Each call goes through the real scripts.
 */
export class TestScheduler {
  readonly queue: Queue;
  readonly inspector: Inspector;
  readonly connection: Connection;
  private requests = 0;

  static async open(connection: Connection, options: QueueOptions = {}): Promise<TestScheduler> {
    const name = `t${randomBytes(4).toString('hex')}`;
    return new TestScheduler(await Queue.open(connection, name, { shards: 1, ...options }));
  }

  private constructor(queue: Queue) {
    this.queue = queue;
    this.connection = queue.connection;
    this.inspector = new Inspector(queue.connection, queue.layout);
  }

  get shard(): ShardLayout {
    const [first] = this.queue.layout.shardList;
    if (first === undefined) throw new Error('a queue without shards');
    return first;
  }

  async submit(options: SubmitOptions = {}, payload: Json = null): Promise<string> {
    return (await this.queue.submit('work', payload, options)).id;
  }

  /** `requestId` given again asks for the same answer again. */
  async claim(
    worker: string,
    options: { limit?: number; bound?: number; leaseMs?: number; requestId?: string; shard?: ShardLayout } = {},
  ): Promise<ClaimReply> {
    const shard = options.shard ?? this.shard;
    const call = prepareCall(
      claimScript,
      { ...shard.keys, replay: replayKey(shard.keys.base, worker, 0) },
      {
        sequence_at: shard.sequenceAt,
        request_id: options.requestId ?? `request-${++this.requests}`,
        replay_ms: 60_000,
        worker,
        lease_ms: options.leaseMs ?? this.queue.settings.leaseMs,
        limit: options.limit ?? 1,
        bound: options.bound === undefined ? '' : String(options.bound),
        lock_keys: this.queue.layout.lockKeys ? 1 : 0,
        timeline_ms: timelineMs(this.queue.settings),
      },
    );
    const [words = []] = (await this.connection.roundTrip([call], [])).calls;
    if (words instanceof Error) throw words;
    return parseClaim(words);
  }

  /** Claims one task and expects there to be one. */
  async claimOne(worker: string, leaseMs?: number): Promise<ClaimedRow> {
    const { tasks } = await this.claim(worker, leaseMs === undefined ? {} : { leaseMs });
    const [task] = tasks;
    if (task === undefined) throw new Error('there was no task to claim');
    return task;
  }

  async renew(worker: string, id: string, fence: number, progress = -1): Promise<RenewWord> {
    const { values, keys } = this.holder(worker, id);
    const extra = { lease_ms: this.queue.settings.leaseMs, lock_keys: this.queue.layout.lockKeys ? 1 : 0 };
    return only(parseRenew(await this.connection.run(renewScript, keys, { ...values, ...extra }, [{ id, fence, progress }])).words);
  }

  async complete(worker: string, id: string, fence: number, result = '"done"', resultMs = 60_000): Promise<CompleteWord> {
    const { values, keys } = this.holder(worker, id);
    return only(
      parseComplete(
        await this.connection.run(completeScript, keys, { ...values, lock_keys: this.queue.layout.lockKeys ? 1 : 0 }, [
          { id, run: completeRun(fence, resultMs, ''), result },
        ]),
        1,
      ).words,
    );
  }

  async fail(
    worker: string,
    id: string,
    fence: number,
    failure: { class?: 'transient' | 'deferred' | 'permanent' | 'crash'; code?: string; delayMs?: number } = {},
  ): Promise<FailWord> {
    const { values, keys } = this.holder(worker, id);
    const code = failure.code ?? 'unknown_error';
    const row = {
      id,
      fence,
      class: failure.class ?? 'transient',
      code,
      delay_ms: failure.delayMs ?? 0,
      error: JSON.stringify({ code, message: 'a test failure' }),
    };
    return only(
      parseFail(await this.connection.run(failScript, keys, { ...values, deferred_limit_ms: this.queue.settings.deferredLimitMs }, [row]))
        .words,
    );
  }

  async release(worker: string, id: string, fence: number): Promise<ReleaseWord> {
    const { values, keys } = this.holder(worker, id);
    return only(parseRelease(await this.connection.run(releaseScript, keys, values, [{ id, fence }])).words);
  }

  async fanOut(
    worker: string,
    id: string,
    fence: number,
    children: { from: number; to: number; total: number; last: boolean; strict?: boolean },
  ): Promise<FanOutReply> {
    const { values, keys } = this.holder(worker, id);
    const rows = Array.from({ length: Math.max(0, children.to - children.from + 1) }, (_, index) => ({
      number: children.from + index,
      header: '{"type":"child"}',
      payload: 'null',
    }));
    const extra = {
      id,
      fence,
      total: children.total,
      last: children.last ? 1 : 0,
      strict: children.strict === true ? 1 : 0,
      max_retries: this.queue.settings.maxRetries,
      crash_budget: this.queue.settings.crashBudget,
    };
    return parseFanOut(await this.connection.run(fanOutScript, keys, { ...values, ...extra }, rows));
  }

  async reap(options: { countCrashes?: boolean; limit?: number; notAfter?: number } = {}): Promise<ReapedRow[]> {
    const values = { limit: options.limit ?? 100, count_crashes: options.countCrashes === false ? 0 : 1, not_after: options.notAfter ?? 0 };
    const rows = await Promise.all(
      this.queue.layout.shardList.map(async (shard) =>
        parseReap(
          await this.connection.run(reapScript, shard.keys, {
            sequence_at: shard.sequenceAt,
            timeline_ms: timelineMs(this.queue.settings),
            ...values,
          }),
        ),
      ),
    );
    return rows.flat();
  }

  async promote(): Promise<number> {
    const counts = await Promise.all(
      this.queue.layout.shardList.map(
        async (shard) =>
          parsePromote(
            await this.connection.run(promoteScript, shard.keys, {
              sequence_at: shard.sequenceAt,
              limit: 100,
              timeline_ms: timelineMs(this.queue.settings),
            }),
          ).promoted,
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Forgets what ended more than `olderThanMs` ago, and of the finished all but the last `most` of each shard (0: no such limit). */
  async trim(olderThanMs = -1, limit = 100, most = 0): Promise<number> {
    const values = { limit, finished_before: olderThanMs, dead_before: olderThanMs, finished_most: most, timeline_ms: 0 };
    const counts = await Promise.all(
      this.queue.layout.shardList.map(async ({ keys, sequenceAt }) =>
        parseTrim(await this.connection.run(trimScript, keys, { sequence_at: sequenceAt, ...values })),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Ends a task's lease now, as if its time had run out: the entry falls due and the lock key is gone. */
  async expireLease(id: string): Promise<void> {
    const { keys } = this.shardOf(id);
    await this.connection.client.zadd(keys.processing, 'XX', 1, id);
    await this.connection.client.del(keys.locks + id);
  }

  /** Makes a scheduled or retrying task due now. */
  async makeDue(id: string): Promise<void> {
    await this.connection.client.zadd(this.shardOf(id).keys.due, 'XX', 1, id);
  }

  async state(id: string): Promise<TaskState | null> {
    return (await this.inspector.get(id))?.state ?? null;
  }

  async get(id: string): Promise<TaskView> {
    const task = await this.inspector.get(id);
    if (task === null) throw new Error(`task ${id} is gone`);
    return task;
  }

  async lock(id: string): Promise<{ value: string | null; ttlMs: number }> {
    const key = this.shardOf(id).keys.locks + id;
    const [value, ttlMs] = await Promise.all([this.connection.client.get(key), this.connection.client.pttl(key)]);
    return { value, ttlMs };
  }

  /** The whole state of one shard. */
  world(shard: ShardLayout = this.shard): Promise<ShardWorld> {
    return readWorld(this.connection.client, shard);
  }

  /** The packed record of a task, for planting faults. */
  recordAt(id: string): { key: string; field: string } {
    const parsed = parseTaskId(id);
    if (parsed === null) throw new Error(`${id} is no task id`);
    return { key: recordsKey(this.shardOf(id).keys.base, bucketOf(parsed)), field: id };
  }

  private shardOf(id: string): ShardLayout {
    return this.queue.shardOf(id) ?? this.shard;
  }

  private holder(
    worker: string,
    id: string,
  ): { keys: ShardLayout['keys']; values: { sequence_at: number; worker: string; timeline_ms: number } } {
    const shard = this.shardOf(id);
    return { keys: shard.keys, values: { sequence_at: shard.sequenceAt, worker, timeline_ms: timelineMs(this.queue.settings) } };
  }
}

function only<Word>(words: readonly Word[]): Word {
  const [word] = words;
  if (word === undefined) throw new Error('a script answered without a word');
  return word;
}

/** Polls a condition until it holds; fails with its name after `withinMs`. */
export async function until<Value>(what: string, look: () => Promise<Value | null | undefined | false>, withinMs = 10_000): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
