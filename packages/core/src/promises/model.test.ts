import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueueOptions } from '../queue/queue.ts';
import { recordsKey } from '../redis/keys.ts';
import { bucketOf, parseTaskId } from '../rules/ids.ts';
import { keysLike } from '../testing/all-nodes.ts';
import { faultsOf } from '../testing/invariants.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { conformanceSuite } from '../testing/suite.ts';
import { Model, type ModelTask } from './model.ts';

const suite = conformanceSuite();

const VERBS = [
  'submit',
  'submit',
  'claim',
  'claim',
  'claim',
  'claimAgain',
  'complete',
  'complete',
  'fail',
  'release',
  'renew',
  'cancel',
  'expire',
  'reap',
  'makeDue',
  'promote',
  'revive',
  'purge',
  'reprioritize',
  'fanOut',
] as const;

interface Step {
  readonly verb: (typeof VERBS)[number];
  /** Which task or run; taken modulo how many there are. */
  readonly pick: number;
  readonly worker: string;
  readonly detail: number;
}

const steps = fc.array(
  fc.record<Step>({ verb: fc.constantFrom(...VERBS), pick: fc.nat(99), worker: fc.constantFrom('w1', 'w10', 'w2'), detail: fc.nat(99) }),
  { minLength: 5, maxLength: 60 },
);

interface PastRun {
  readonly id: string;
  readonly worker: string;
  readonly fence: number;
}

const CLASSES = ['transient', 'deferred', 'permanent', 'crash'] as const;
const PRIORITIES = [1, 10, 100, 100, 1000] as const;

/** Carries steps out on the scheduler and on the model side by side, and compares what each says. */
class Walk {
  readonly model = new Model();
  private readonly runs: PastRun[] = [];
  private readonly lastClaims = new Map<string, { requestId: string; shard: number; worker: string; given: PastRun[] }>();
  private requests = 0;
  private readonly scheduler: TestScheduler;
  private readonly sabotage: (scheduler: TestScheduler, step: Step) => Promise<void>;

  constructor(scheduler: TestScheduler, sabotage: (scheduler: TestScheduler, step: Step) => Promise<void> = async () => {}) {
    this.scheduler = scheduler;
    this.sabotage = sabotage;
  }

  async take(all: readonly Step[]): Promise<void> {
    for (const step of all) {
      await this.step(step);
      await this.sabotage(this.scheduler, step);
    }
    await this.compare();
  }

  private task({ pick }: Step): ModelTask | undefined {
    const all = [...this.model.tasks.values()];
    return all[pick % Math.max(1, all.length)];
  }

  private run({ pick }: Step): PastRun | undefined {
    return this.runs[pick % Math.max(1, this.runs.length)];
  }

  private async step(step: Step): Promise<void> {
    switch (step.verb) {
      case 'submit':
        return this.submit(step);
      case 'claim':
        return this.claim(step);
      case 'claimAgain':
        return this.claimAgain(step);
      case 'complete':
      case 'fail':
      case 'release':
      case 'renew':
        return this.wordOfHolder(step);
      case 'fanOut':
        return this.fanOut(step);
      case 'reap':
        await this.scheduler.reap();
        return this.model.reap();
      case 'promote':
        await this.scheduler.promote();
        return;
      default:
        return this.wordOfOutsider(step);
    }
  }

  private async submit({ pick, detail }: Step): Promise<void> {
    const priority = PRIORITIES[pick % PRIORITIES.length] ?? 100;
    const identity = detail % 3 === 0 ? `same ${detail % 2}` : null;
    const delayMs = detail % 7 === 0 ? 3_600_000 : 0;
    const holder = identity === null ? null : this.model.holderOf(identity);
    const answer = await this.scheduler.queue.submit('work', null, {
      priority,
      delayMs,
      maxRetries: 1,
      crashBudget: 2,
      ...(identity === null ? {} : { identity: [identity] }),
      fairUser: `user ${pick % 2}`,
    });
    expect(answer.duplicate).toBe(holder !== null);
    const task = await this.scheduler.get(answer.id);
    if (holder !== null) {
      expect(answer).toMatchObject({ id: holder.id, state: holder.state });
      if (task.score < holder.score) this.model.move(holder, task.score);
      return;
    }
    this.model.submitted({
      id: answer.id,
      shard: Number(task.shard),
      identity,
      score: task.score,
      state: delayMs > 0 ? 'scheduled' : 'pending',
    });
  }

  private async claim({ pick, worker, detail }: Step): Promise<void> {
    const shard = this.scheduler.queue.layout.shardList[pick % this.scheduler.queue.layout.shards];
    if (shard === undefined) return;
    const requestId = `walk-${++this.requests}`;
    const limit = 1 + (detail % 3);
    const { tasks } = await this.scheduler.claim(worker, { shard, limit, requestId });
    const expected = this.model.claim(shard.index, worker, limit);
    expect(tasks.map((task) => [task.id, task.record.fence])).toEqual(expected.map((task) => [task.id, task.fence]));
    const given = tasks.map((task) => ({ id: task.id, worker, fence: task.record.fence }));
    this.runs.push(...given);
    if (given.length > 0) this.lastClaims.set(`${shard.name} ${worker}`, { requestId, shard: shard.index, worker, given });
  }

  /** A claim whose answer was lost is asked for again: only what is still held at that fence comes back. */
  private async claimAgain({ pick }: Step): Promise<void> {
    const all = [...this.lastClaims.values()];
    const last = all[pick % Math.max(1, all.length)];
    const shard = last === undefined ? undefined : this.scheduler.queue.layout.shardList[last.shard];
    if (last === undefined || shard === undefined) return;
    const { tasks } = await this.scheduler.claim(last.worker, { shard, limit: 3, requestId: last.requestId });
    const held = last.given.filter(({ id, worker, fence }) => {
      const task = this.model.tasks.get(id);
      return task?.state === 'processing' && this.model.holds(task, worker, fence);
    });
    expect(tasks.map((task) => task.id).sort()).toEqual(held.map((run) => run.id).sort());
  }

  private async wordOfHolder(step: Step): Promise<void> {
    const run = this.run(step);
    if (run === undefined) return;
    const { id, worker, fence } = run;
    const task = this.model.tasks.get(id);
    const kind = CLASSES[step.detail % CLASSES.length] ?? 'transient';
    switch (step.verb) {
      case 'complete':
        expect(await this.scheduler.complete(worker, id, fence, '"done"', 3_600_000)).toBe(this.model.complete(task, worker, fence));
        return;
      case 'fail':
        expect(await this.scheduler.fail(worker, id, fence, { class: kind, delayMs: 3_600_000 })).toBe(
          this.model.fail(task, worker, fence, kind),
        );
        return;
      case 'release':
        expect(await this.scheduler.release(worker, id, fence)).toBe(this.model.release(task, worker, fence));
        return;
      default:
        expect(await this.scheduler.renew(worker, id, fence)).toBe(this.model.renew(task, worker, fence));
    }
  }

  private async fanOut(step: Step): Promise<void> {
    const run = this.run(step);
    const task = run === undefined ? undefined : this.model.tasks.get(run.id);
    if (run === undefined || task === undefined || task.parent !== null || task.children !== null) return;
    const total = 1 + (step.detail % 3);
    const strict = step.detail % 2 === 0;
    const reply = await this.scheduler.fanOut(run.worker, run.id, run.fence, { from: 1, to: total, total, last: true, strict });
    expect(reply.word).toBe(this.model.fanOut(task, run.worker, run.fence, total, strict));
  }

  private async wordOfOutsider(step: Step): Promise<void> {
    const task = this.task(step);
    if (task === undefined) return;
    switch (step.verb) {
      case 'cancel':
        expect((await this.scheduler.queue.cancel(task.id)).word).toBe(this.model.cancel(task));
        return;
      case 'revive':
        expect(await this.scheduler.queue.revive([task.id])).toEqual([this.model.revive(task)]);
        return;
      case 'purge':
        if (task.parent === null) expect(await this.scheduler.queue.purge([task.id])).toEqual([this.model.purge(task)]);
        return;
      case 'reprioritize':
        return this.reprioritize(task, PRIORITIES[step.detail % PRIORITIES.length] ?? 100);
      case 'expire':
        if (task.state === 'processing') {
          await this.scheduler.expireLease(task.id);
          task.expired = true;
        }
        return;
      default:
        // makeDue: the promoter takes it from here, so both sides do at once.
        if (task.state === 'scheduled' || task.state === 'retrying') {
          await this.scheduler.makeDue(task.id);
          await this.scheduler.promote();
          task.state = 'pending';
        }
    }
  }

  private async reprioritize(task: ModelTask, priority: number): Promise<void> {
    const reply = await this.scheduler.queue.reprioritize(task.id, priority);
    const ended = ['completed', 'cancelled', 'dead_letter'].includes(task.state);
    expect(reply?.word).toBe(ended ? 'final' : 'reprioritized');
    if (!ended) this.model.move(task, (await this.scheduler.get(task.id)).score);
  }

  /** Exactly one state a task, fences, counts, places, locks with a TTL, parents and children consistent. */
  private async compare(): Promise<void> {
    const seen = Object.assign(
      {},
      ...(await Promise.all(this.scheduler.queue.layout.shardList.map(async (shard) => (await this.scheduler.world(shard)).records))),
    );
    const told = Object.entries(seen as Record<string, { state: string; fence: number; score: number; attempts: number; crashes: number }>)
      .map(([id, { state, fence, score, attempts, crashes }]) => ({ id, state, fence, score, attempts, crashes }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const expected = [...this.model.tasks.values()]
      .map(({ id, state, fence, score, attempts, crashes }) => ({ id, state, fence, score, attempts, crashes }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(told).toEqual(expected);
    expect(await faultsOf(this.scheduler)).toEqual([]);
  }

  /** Ends everything and forgets it: nothing may be left behind. */
  async sweep(): Promise<void> {
    for (const task of this.model.tasks.values()) if (task.parent === null) await this.scheduler.queue.cancel(task.id);
    for (const task of this.model.tasks.values()) if (task.parent === null) await this.scheduler.queue.purge([task.id]);
    for (const shard of this.scheduler.queue.layout.shardList) {
      const left = await keysLike(suite.connection.client, `${shard.keys.base}*`);
      const lasting = ['counts', 'totals', 'sequence', 'turns', 'throttled'].map((name) => shard.keys.base + name);
      expect(left.filter((key) => !lasting.includes(key) && !/:(minute|replay|turn|gate):/.test(key))).toEqual([]);
    }
  }
}

async function walk(
  all: readonly Step[],
  options: QueueOptions,
  sabotage?: (scheduler: TestScheduler, step: Step) => Promise<void>,
): Promise<void> {
  const { scheduler } = await suite.open({ shards: 2, ...options });
  if (sabotage !== undefined) suite.expectFaults(scheduler);
  const own = new Walk(scheduler, sabotage);
  await own.take(all);
  if (sabotage === undefined) await own.sweep();
}

describe('any sequence of verbs by several clients, with crashes and lost replies, agrees with the model', () => {
  it.each([
    ['strict order, lock keys', { order: 'strict', lockKeys: true }],
    ['strict order, no lock keys', { order: 'strict', lockKeys: false }],
    ['aging order, lock keys', { order: 'aging', lockKeys: true }],
    ['aging order, no lock keys', { order: 'aging', lockKeys: false }],
    ['fair order, lock keys', { order: 'fair', lockKeys: true }],
    ['fair order, no lock keys', { order: 'fair', lockKeys: false }],
  ] as const)(
    'under %s',
    async (_, options) => {
      await fc.assert(
        fc.asyncProperty(steps, (all) => walk(all, options)),
        { numRuns: 60, endOnFailure: false },
      );
    },
    60_000,
  );
});

/** Finds some record of a state and rewrites its bytes. */
async function rewrite(scheduler: TestScheduler, state: number, change: (record: Buffer) => void): Promise<void> {
  for (const shard of scheduler.queue.layout.shardList) {
    for (const id of await suite.connection.client.zrange(shard.keys[state === 1 ? 'pending' : 'processing'], '0', '-1')) {
      const parsed = parseTaskId(id);
      if (parsed === null) continue;
      const key = recordsKey(shard.keys.base, bucketOf(parsed));
      const record = await suite.connection.client.hgetBuffer(key, id);
      if (record === null) continue;
      change(record);
      await suite.connection.client.hset(key, id, record);
      return;
    }
  }
}

describe('the model turns red when a rule is broken on purpose:', () => {
  it.each([
    [
      'a task is lost from the line',
      async (scheduler: TestScheduler) => void (await suite.connection.client.zpopmin(scheduler.shard.keys.pending)),
    ],
    ['a fence does not rise', (scheduler: TestScheduler) => rewrite(scheduler, 2, (record) => record.writeUInt32BE(0, 13))],
    [
      'a task jumps the line',
      async (scheduler: TestScheduler) => {
        const [id] = await suite.connection.client.zrange(scheduler.shard.keys.pending, '-1', '-1');
        if (id !== undefined) await suite.connection.client.zadd(scheduler.shard.keys.pending, -5, id);
      },
    ],
    ['a state is written over', (scheduler: TestScheduler) => rewrite(scheduler, 1, (record) => record.writeUInt8(5, 1))],
    [
      'a lock lives for ever',
      async (scheduler: TestScheduler) => {
        for (const key of await keysLike(suite.connection.client, `${scheduler.shard.keys.locks}*`))
          await suite.connection.client.persist(key);
      },
    ],
    [
      'a count drifts',
      async (scheduler: TestScheduler) => void (await suite.connection.client.hincrby(scheduler.shard.keys.counts, 'pending', 1)),
    ],
    [
      'an identity is forgotten',
      async (scheduler: TestScheduler) => {
        for (const key of await keysLike(suite.connection.client, `${scheduler.shard.keys.base}identity:*`))
          await suite.connection.client.del(key);
      },
    ],
  ])(
    '%s',
    async (_, sabotage) => {
      const broken = fc.assert(
        fc.asyncProperty(steps, (all) => walk(all, {}, (scheduler) => sabotage(scheduler))),
        { numRuns: 40, endOnFailure: true, seed: 7 },
      );
      await expect(broken).rejects.toThrow('Property failed');
    },
    60_000,
  );
});
