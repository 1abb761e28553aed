import { DEFAULT_PRIORITY, GalleyError, PRIORITY_MAX, PRIORITY_MIN, type TaskState } from '@galley/contract';
import type { Random } from '../clock.ts';
import { ReadBuffer } from '../inspector/read-buffer.ts';
import { loadTasks } from '../inspector/task-view.ts';
import type { Connection } from '../redis/connection.ts';
import { wakeChannel } from '../redis/keys.ts';
import { throwCoded } from '../redis/refusals.ts';
import { identityOf } from '../rules/identity.ts';
import { randomSuffix } from '../rules/ids.ts';
import { encodeHeader, encodePayload, type Json, type TaskTypes } from '../rules/message.ts';
import { scoreFormula } from '../rules/order.ts';
import { checkIdentity, checkName, checkNumbers, checkType } from '../rules/submit-limits.ts';
import { type CancelReply, cancelScript, parseCancel } from '../scripts/cancel.ts';
import { type PurgeWord, parsePurge, purgeScript } from '../scripts/purge.ts';
import { parseReprioritize, type ReprioritizeReply, reprioritizeScript } from '../scripts/reprioritize.ts';
import { parseRevive, type ReviveWord, reviveScript } from '../scripts/revive.ts';
import { submitOptions } from '../scripts/submit.ts';
import { isTracing, openSpan } from '../tracing/tracing.ts';
import { eachShard } from './by-shard.ts';
import { FairTurns } from './fair-turns.ts';
import { HeldIdentities } from './held-identities.ts';
import { type CreateQueueOptions, openLayout, type QueueLayout, type ShardLayout } from './layout.ts';
import { type QueueRate, readRate, writeRate } from './rate.ts';
import { checkSettings, DEFAULT_QUEUE_SETTINGS, type QueueSettings, timelineMs } from './settings.ts';
import { type SubmitAnswer, SubmitBuffer } from './submit-buffer.ts';
import { headerOf, type SubmitOptions, type Submitted } from './submit-options.ts';

export interface QueueOptions extends CreateQueueOptions {
  readonly settings?: Partial<QueueSettings>;
  readonly random?: Random;
}

const REVIVE_BATCH = 100;
const CHILDREN_PER_CALL = 200;
const PURGE_LIMIT = 100;

function checkPriority(priority: number): void {
  if (!Number.isInteger(priority) || priority < PRIORITY_MIN || priority > PRIORITY_MAX)
    throw new GalleyError('invalid_request', `priority ${priority} is not an integer from ${PRIORITY_MIN} to ${PRIORITY_MAX}`);
}

function identityIn(type: string, { identity, concurrencyKey }: SubmitOptions): string | undefined {
  if (identity === undefined) return undefined;
  checkType(type);
  checkIdentity(identity);
  if (concurrencyKey !== undefined) checkName('concurrency key', concurrencyKey);
  return identityOf([type, ...identity], concurrencyKey);
}

/** The facade of one queue: each verb is one script (docs/task-lifecycle.md). */
export class Queue<Types extends TaskTypes = TaskTypes> {
  readonly connection: Connection;
  readonly layout: QueueLayout;
  readonly settings: QueueSettings;
  private readonly buffer: SubmitBuffer;
  private readonly fairTurns: FairTurns;
  private readonly heldIdentities: HeldIdentities;
  private readonly random: Random;
  private turn = 0;

  /** Creates the queue in Redis where it does not exist. */
  static async open<Types extends TaskTypes = TaskTypes>(
    connection: Connection,
    name: string,
    options: QueueOptions = {},
  ): Promise<Queue<Types>> {
    return new Queue<Types>(connection, await openLayout(connection, name, options), options);
  }

  private constructor(connection: Connection, layout: QueueLayout, options: QueueOptions) {
    this.connection = connection;
    this.layout = layout;
    this.settings = checkSettings({ ...DEFAULT_QUEUE_SETTINGS, ...options.settings });
    this.random = options.random ?? Math.random;
    this.fairTurns = new FairTurns(connection, layout);
    this.heldIdentities = new HeldIdentities(connection);
    this.buffer = new SubmitBuffer(connection, layout, this.settings, scoreFormula(layout.order, DEFAULT_PRIORITY).clockWeight);
  }

  get name(): string {
    return this.layout.queue;
  }

  /**
   * Puts a task in line, or says which one it duplicates, also where the queue is full. Throws `queue_full`, `invalid_request`,
   * `payload_invalid`, `payload_too_large` or `redis_full`; nothing is stored of this task then, and its neighbours of the tick are not
   * touched. Throws `redis_unavailable` where the connection was closed meanwhile: the task may have arrived.
   */
  submit<Type extends keyof Types & string>(type: Type, payload: Types[Type]['payload'], options: SubmitOptions = {}): Promise<Submitted> {
    if (!isTracing()) return this.put(type, payload, options);
    const attributes = { 'galley.queue': this.name, 'galley.task.type': type };
    const span = openSpan('galley.submit', { kind: 'producer', attributes });
    if (span === null) return this.put(type, payload, options);
    return span.around(
      () => this.put(type, payload, options, span.traceparent),
      ({ id, duplicate }) => ({ attributes: { 'galley.task.id': id, 'galley.task.duplicate': duplicate }, failedWith: null }),
    );
  }

  private async put(type: string, payload: Json, options: SubmitOptions, trace?: string): Promise<Submitted> {
    const priority = options.priority ?? DEFAULT_PRIORITY;
    checkPriority(priority);
    checkNumbers(options);
    const identity = identityIn(type, options);
    const header = encodeHeader({ ...headerOf(type, identity, options), ...(trace === undefined ? {} : { trace }) });
    const message = `${header}\n${encodePayload(payload)}`;
    const delayMs = options.delayMs ?? 0;
    const user = options.fairUser ?? options.tags?.user ?? '';
    const shard = this.route(options.concurrencyKey ?? identity);
    const send = (turn: number | null): Promise<SubmitAnswer> =>
      this.buffer.add(shard, {
        suffix: randomSuffix(this.random),
        score: scoreFormula(this.layout.order, priority, turn ?? 0).base,
        options: submitOptions({
          priority,
          delayMs,
          maxRetries: options.maxRetries ?? this.settings.maxRetries,
          crashBudget: options.crashBudget ?? this.settings.crashBudget,
          gated: options.concurrencyKey !== undefined,
          turnless: turn === null,
          tags: options.tags ?? {},
        }),
        identity: identity ?? '',
        message,
      });
    // No await where no turn is needed: it would cost every submit a turn of the event loop.
    const { task, at } = await (this.layout.order === 'fair'
      ? this.inTurn(send, { shard, identity, user, priority }).catch(throwCoded)
      : send(0));
    if (task === null) throw new Error('script submit asked for a turn that it was given');
    if (typeof task !== 'string') {
      // The script lifts the task itself; the children that a waiting one waits for follow in bounded steps.
      const { lifted, ...existing } = task;
      if (lifted && task.state === 'waiting') await this.reprioritize(task.id, priority);
      return { ...existing, duplicate: true };
    }
    return { id: task, state: delayMs > 0 ? 'scheduled' : 'pending', priority, duplicate: false, createdAt: at };
  }

  /** `final`: the task had ended already, in the state given. Its children are cancelled too when this answers. */
  async cancel(id: string): Promise<CancelReply> {
    const shard = this.shardOf(id);
    if (shard === null) return { word: 'missing' };
    const call = async (fromChild: number): Promise<CancelReply> =>
      parseCancel(
        await this.connection.run(cancelScript, shard.keys, {
          sequence_at: shard.sequenceAt,
          id,
          from_child: fromChild,
          limit: CHILDREN_PER_CALL,
          timeline_ms: timelineMs(this.settings),
        }),
      );
    const first = await call(0);
    for (let reply = first; reply.word === 'cancelled' && reply.nextChild > 0; ) reply = await call(reply.nextChild);
    return first.word === 'cancelled' ? { word: first.word, nextChild: 0 } : first;
  }

  /** Puts dead letters back in line; a word for each id, in order. */
  async revive(ids: readonly string[]): Promise<ReviveWord[]> {
    return eachShard<ReviveWord>(this.layout, ids, 'missing', async (shard, own) => {
      const words: ReviveWord[] = [];
      for (let from = 0; from < own.length; from += REVIVE_BATCH) {
        const rows = own.slice(from, from + REVIVE_BATCH).map((id) => ({ id }));
        const reply = await this.connection.run(
          reviveScript,
          shard.keys,
          { sequence_at: shard.sequenceAt, timeline_ms: timelineMs(this.settings) },
          rows,
        );
        words.push(...parseRevive(reply).words);
      }
      return words;
    });
  }

  /** Forgets tasks that have ended, with their results, errors and children; a word for each id, in order. */
  async purge(ids: readonly string[]): Promise<PurgeWord[]> {
    return eachShard<PurgeWord>(this.layout, ids, 'missing', async (shard, own) => {
      const words = new Map<string, PurgeWord>();
      // Where a call's limit ended in the middle of them, or of one with children, the rest are asked for again.
      for (let left = own; left.length > 0; left = left.filter((id) => (words.get(id) ?? 'more') === 'more')) {
        const rows = left.slice(0, PURGE_LIMIT).map((id) => ({ id }));
        const values = { sequence_at: shard.sequenceAt, limit: PURGE_LIMIT, timeline_ms: timelineMs(this.settings) };
        const reply = parsePurge(await this.connection.run(purgeScript, shard.keys, values, rows));
        rows.forEach(({ id }, index) => words.set(id, reply.words[index] ?? 'missing'));
      }
      return own.map((id) => words.get(id) ?? 'missing');
    });
  }

  /** `final` where the task has ended; null where there is none. A waiting task's children move with it. */
  async reprioritize(
    id: string,
    priority: number,
  ): Promise<{ readonly word: 'reprioritized' | 'final'; readonly state: TaskState } | null> {
    checkPriority(priority);
    const shard = this.shardOf(id);
    if (shard === null) return null;
    const turn = this.layout.order === 'fair' ? await this.fairTurns.next(await this.userOf(id), priority) : 0;
    const { base, clockWeight } = scoreFormula(this.layout.order, priority, turn);
    const call = async (fromChild: number): Promise<ReprioritizeReply> =>
      parseReprioritize(
        await this.connection.run(reprioritizeScript, shard.keys, {
          sequence_at: shard.sequenceAt,
          id,
          priority,
          score: base,
          clock_weight: clockWeight,
          from_child: fromChild,
          limit: CHILDREN_PER_CALL,
          timeline_ms: timelineMs(this.settings),
        }),
      );
    const first = await call(1);
    for (let reply = first; reply.word === 'reprioritized' && reply.nextChild > 0; ) reply = await call(reply.nextChild);
    return first.word === 'missing' ? null : { word: first.word, state: first.state };
  }

  /** Running tasks finish; no new ones start. Throws `redis_full` and `redis_unavailable`. */
  async pause(): Promise<void> {
    await this.onEachShard((shard) => this.connection.client.set(shard.keys.paused, '1'));
  }

  /** Throws `redis_unavailable`. */
  async resume(): Promise<void> {
    await this.onEachShard((shard) => this.connection.client.del(shard.keys.paused));
    // Idle workers sleep until a head improves; nothing improves by being resumed.
    await this.onEachShard((shard) => this.connection.client.publish(wakeChannel(shard.keys.base), '0'));
  }

  async isPaused(): Promise<boolean> {
    const [first] = this.layout.shardList;
    return first !== undefined && (await this.connection.client.exists(first.keys.paused)) === 1;
  }

  /** At most so many runs of the whole queue start in any span, by however many workers; null where it has no rate. */
  rate(): Promise<QueueRate | null> {
    return readRate(this.connection, this.layout);
  }

  /**
   * Stores the queue's rate, which every worker heeds from within a second on; null takes it away. `count`: 1 to 1,000,000
   * starts; `perMs`: 1,000 to 86,400,000 milliseconds. Throws `invalid_request` and `redis_full`; the rate is as it was then.
   */
  setRate(rate: QueueRate | null): Promise<void> {
    return writeRate(this.connection, this.layout, rate).catch(throwCoded);
  }

  /** The shard an id names; null where the id is not of this queue. */
  shardOf(id: string): ShardLayout | null {
    return this.layout.shardOf(id);
  }

  /** Sends with the user's next turn; a duplicate is told so first and spends none, unless it lifts the task that is there. */
  private async inTurn(
    send: (turn: number | null) => Promise<SubmitAnswer>,
    { shard, identity, user, priority }: { shard: ShardLayout; identity: string | undefined; user: string; priority: number },
  ): Promise<SubmitAnswer> {
    if (await this.heldIdentities.has(shard, identity)) {
      const answer = await send(null);
      if (answer.task !== null) return answer;
    }
    return send(await this.fairTurns.next(user, priority));
  }

  private async onEachShard(act: (shard: ShardLayout) => Promise<unknown>): Promise<void> {
    await Promise.all(this.layout.shardList.map(act)).catch(throwCoded);
  }

  private async userOf(id: string): Promise<string> {
    const [task] = await loadTasks(new ReadBuffer(this.connection), this.layout, [id]);
    return task?.header.fair_user ?? task?.header.tags?.user ?? '';
  }

  private route(key: string | undefined): ShardLayout {
    const shard = key === undefined ? this.layout.shardList[this.turn++ % this.layout.shards] : this.layout.shardOfKey(key);
    if (shard === undefined) throw new Error(`queue ${this.name} has no shard to route to`);
    return shard;
  }
}
