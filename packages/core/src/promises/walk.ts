import fc from 'fast-check';
import { expect } from 'vitest';
import { keysLike } from '../testing/all-nodes.ts';
import { setClockBack, setClockForward } from '../testing/clock-steps.ts';
import { faultsOf } from '../testing/invariants.ts';
import type { TestScheduler } from '../testing/scheduler.ts';
import { Model, type ModelTask } from './model.ts';

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
  'fanOut',
  'fanOut',
  'clockForward',
  'clockBack',
] as const;

export interface Step {
  readonly verb: (typeof VERBS)[number];
  /** Which task or run; taken modulo how many there are. */
  readonly pick: number;
  readonly worker: string;
  readonly detail: number;
}

export const steps = fc.array(
  fc.record<Step>({ verb: fc.constantFrom(...VERBS), pick: fc.nat(99), worker: fc.constantFrom('w1', 'w10', 'w2'), detail: fc.nat(99) }),
  { minLength: 5, maxLength: 60 },
);

/** How far one step of the clock goes. */
const CLOCK_STEP_MS = 3_600_000;

interface PastRun {
  readonly id: string;
  readonly worker: string;
  readonly fence: number;
}

const CLASSES = ['transient', 'deferred', 'permanent', 'crash'] as const;
const PRIORITIES = [1, 10, 100, 100, 1000] as const;

/** Carries steps out on the scheduler and on the model side by side, and compares what each says. */
export class Walk {
  readonly model = new Model();
  private readonly runs: PastRun[] = [];
  private readonly lastClaims = new Map<string, { requestId: string; shard: number; worker: string; given: PastRun[] }>();
  private requests = 0;
  private totals: Record<string, string>[] = [];
  private readonly scheduler: TestScheduler;
  private readonly sabotage: (scheduler: TestScheduler, step: Step) => Promise<void>;

  constructor(scheduler: TestScheduler, sabotage: (scheduler: TestScheduler, step: Step) => Promise<void> = async () => {}) {
    this.scheduler = scheduler;
    this.sabotage = sabotage;
  }

  async take(all: readonly Step[]): Promise<void> {
    for (const step of all) {
      await this.step(step);
      await this.watchTotals();
      await this.sabotage(this.scheduler, step);
    }
    await this.compare();
  }

  /** Totals never fall. */
  private async watchTotals(): Promise<void> {
    const totals = await Promise.all(
      this.scheduler.queue.layout.shardList.map(({ keys }) => this.scheduler.connection.client.hgetall(keys.totals)),
    );
    totals.forEach((own, shard) => {
      for (const [name, before] of Object.entries(this.totals[shard] ?? {}))
        expect(Number(own[name] ?? 0)).toBeGreaterThanOrEqual(Number(before));
    });
    this.totals = totals;
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
      case 'clockForward':
        return this.clockForward();
      case 'clockBack':
        return setClockBack(this.scheduler, [...this.model.tasks.keys()], CLOCK_STEP_MS);
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

  private async clockForward(): Promise<void> {
    const all = [...this.model.tasks.values()];
    const running = all.filter(({ state }) => state === 'processing');
    const waiting = all.filter(({ state }) => state === 'scheduled' || state === 'retrying');
    const idsOf = (tasks: readonly ModelTask[]): string[] => tasks.map(({ id }) => id);
    await setClockForward(this.scheduler, idsOf(running), idsOf(waiting));
    await this.scheduler.promote();
    for (const task of running) task.expired = true;
    for (const task of waiting) task.state = 'pending';
  }

  private async reprioritize(task: ModelTask, priority: number): Promise<void> {
    const reply = await this.scheduler.queue.reprioritize(task.id, priority);
    const ended = ['completed', 'cancelled', 'dead_letter'].includes(task.state);
    expect(reply?.word).toBe(ended ? 'final' : 'reprioritized');
    if (!ended) this.model.move(task, (await this.scheduler.get(task.id)).score);
  }

  /** Exactly one state a task, fences, counts, places, locks with a TTL, parents and children consistent. */
  private async compare(): Promise<void> {
    const worlds = await Promise.all(this.scheduler.queue.layout.shardList.map((shard) => this.scheduler.world(shard)));
    const told = worlds
      .flatMap(({ records }) => Object.entries(records))
      .map(([id, { state, fence, score, attempts, crashes }]) => ({ id, state, fence, score, attempts, crashes }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const expected = [...this.model.tasks.values()]
      .map(({ id, state, fence, score, attempts, crashes }) => ({ id, state, fence, score, attempts, crashes }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(told).toEqual(expected);
    expect(await faultsOf(this.scheduler)).toEqual([]);
  }

  /** Ends everything and forgets it, by purge or by trim: nothing may be left behind. */
  async sweep(by: 'purge' | 'trim'): Promise<void> {
    for (const task of this.model.tasks.values()) if (task.parent === null) await this.scheduler.queue.cancel(task.id);
    if (by === 'trim') while ((await this.scheduler.trim(-CLOCK_STEP_MS * 1_000)) > 0);
    else for (const task of this.model.tasks.values()) if (task.parent === null) await this.scheduler.queue.purge([task.id]);
    for (const shard of this.scheduler.queue.layout.shardList) {
      const left = await keysLike(this.scheduler.connection.client, `${shard.keys.base}*`);
      const lasting = ['counts', 'totals', 'sequence', 'turns', 'throttled'].map((name) => shard.keys.base + name);
      expect(left.filter((key) => !lasting.includes(key) && !/:(minute|replay|turn|gate):/.test(key))).toEqual([]);
    }
  }
}
