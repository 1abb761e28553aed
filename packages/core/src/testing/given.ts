import type { SubmitOptions } from '../queue/submit-options.ts';
import { childId } from '../rules/ids.ts';
import type { Json } from '../rules/message.ts';
import type { TestScheduler } from './scheduler.ts';

/** A task whose last run is known. */
export interface GivenRun {
  readonly id: string;
  readonly worker: string;
  readonly fence: number;
}

export interface GivenFamily extends GivenRun {
  readonly children: string[];
}

interface Seed extends SubmitOptions {
  readonly worker?: string;
  readonly payload?: Json;
  readonly leaseMs?: number;
}

/** Brings tasks into a named state through the real verbs (STYLE 25). */
export class Given {
  private readonly scheduler: TestScheduler;
  private bystanders = 0;

  constructor(scheduler: TestScheduler) {
    this.scheduler = scheduler;
  }

  pending(seed: Seed = {}): Promise<string> {
    const { worker: _worker, leaseMs: _leaseMs, payload = null, ...options } = seed;
    return this.scheduler.submit(options, payload);
  }

  scheduled(seed: Seed = {}): Promise<string> {
    return this.pending({ delayMs: 60_000, ...seed });
  }

  /** Claims this very task, whatever else is in line: it stands at the head of `pending` for the moment of the claim. */
  async claimed(id: string, worker = 'w1', leaseMs?: number): Promise<GivenRun> {
    const shard = this.scheduler.queue.shardOf(id);
    if (shard === null) throw new Error(`${id} is not of this queue`);
    await this.scheduler.connection.client.zadd(shard.keys.pending, 'XX', -1, id);
    const { tasks } = await this.scheduler.claim(worker, { shard, ...(leaseMs === undefined ? {} : { leaseMs }) });
    const [task] = tasks;
    if (task?.id !== id) throw new Error(`${id} could not be claimed`);
    return { id, worker, fence: task.record.fence };
  }

  async processing(seed: Seed = {}): Promise<GivenRun> {
    return this.claimed(await this.pending(seed), seed.worker, seed.leaseMs);
  }

  /** Back in line because its lease ran out; its run is still open. */
  async reaped(seed: Seed = {}): Promise<GivenRun> {
    const run = await this.processing(seed);
    await this.loseLease(run.id);
    return run;
  }

  async loseLease(id: string): Promise<void> {
    await this.scheduler.expireLease(id);
    await this.scheduler.reap();
  }

  async released(seed: Seed = {}): Promise<GivenRun> {
    const run = await this.processing(seed);
    await this.scheduler.release(run.worker, run.id, run.fence);
    return run;
  }

  /** Failed once, and waits a minute. */
  async retrying(seed: Seed = {}): Promise<GivenRun> {
    const run = await this.processing(seed);
    await this.scheduler.fail(run.worker, run.id, run.fence, { delayMs: 60_000 });
    return run;
  }

  async completed(seed: Seed & { result?: string; resultLifeMs?: number } = {}): Promise<GivenRun> {
    const { result = '"done"', resultLifeMs = 60_000, ...rest } = seed;
    const run = await this.processing(rest);
    await this.scheduler.complete(run.worker, run.id, run.fence, result, resultLifeMs);
    return run;
  }

  async cancelled(seed: Seed = {}): Promise<GivenRun> {
    const run = await this.processing(seed);
    await this.scheduler.queue.cancel(run.id);
    return run;
  }

  async deadLettered(seed: Seed & { code?: string } = {}): Promise<GivenRun> {
    const { code = 'corrupt_document', ...rest } = seed;
    const run = await this.processing(rest);
    await this.scheduler.fail(run.worker, run.id, run.fence, { class: 'permanent', code });
    return run;
  }

  /** Dead of its crash budget, which is 1 here; its last run is still open (DESIGN P2). */
  crashLooped(seed: Seed = {}): Promise<GivenRun> {
    return this.reaped({ crashBudget: 1, ...seed });
  }

  /** A parent whose children stand in line. */
  async waitingForChildren(total = 3, seed: Seed = {}): Promise<GivenFamily> {
    const run = await this.processing(seed);
    await this.scheduler.fanOut(run.worker, run.id, run.fence, { from: 1, to: total, total, last: true });
    return { ...run, children: Array.from({ length: total }, (_, index) => childId(run.id, index + 1)) };
  }

  /** A parent that has been run again, and completed, after all its children had. */
  async assembled(total = 2, seed: Seed = {}): Promise<GivenFamily> {
    const family = await this.waitingForChildren(total, seed);
    for (const id of family.children) await this.childCompleted(id);
    const run = await this.claimed(family.id, family.worker);
    await this.scheduler.complete(run.worker, run.id, run.fence);
    return { ...family, fence: run.fence };
  }

  async childCompleted(id: string, worker = 'w1'): Promise<GivenRun> {
    const run = await this.claimed(id, worker);
    await this.scheduler.complete(worker, id, run.fence);
    return run;
  }

  async childDead(id: string, worker = 'w1'): Promise<GivenRun> {
    const run = await this.claimed(id, worker);
    await this.scheduler.fail(worker, id, run.fence, { class: 'permanent', code: 'engine_failed' });
    return run;
  }

  /** One bystander in each state, which a verb that is about another task must leave alone. */
  async oneOfEach(): Promise<void> {
    await this.waitingForChildren(2, { worker: 'bystander' });
    await this.retrying({ worker: 'bystander' });
    await this.completed({ worker: 'bystander', identity: [`bystander ${++this.bystanders}`], tags: { user: 'bystander' } });
    await this.cancelled({ worker: 'bystander' });
    await this.deadLettered({ worker: 'bystander' });
    await this.processing({ worker: 'bystander' });
    await this.scheduled();
    await this.pending();
  }
}
