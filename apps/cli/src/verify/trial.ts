import { randomBytes } from 'node:crypto';
import { type Connection, connectRedis, type Handlers, inProcess, Queue, removeQueue, Worker } from '@galley/core';

/** How long each task of a trial waits. Waiting costs no core, so it is the queue that is measured and not the machine. */
const TASK_MS = 25;
/** What one worker alone should take. */
const ALONE_MS = 2_000;
/** Each worker beyond the first must add at least this share of what one does. */
const LEAST_GAIN = 0.5;
/** A machine that is busy with other things can slow a trial down but hardly all of them, and none can speed one up. */
const MOST_TRIALS = 3;
const MOST_WORKERS = 16;
const MOST_SLOTS = 16;

export const TRIAL_QUEUE_PREFIX = 'verify-';

/** How a trial's workers are made up. */
export interface TrialPlan {
  readonly workers: number;
  /** Of each worker. */
  readonly slots: number;
  readonly tasks: number;
}

/**
 * As many workers with as many slots as the system has, within bounds. One worker is compared slot by slot, as so many workers with a
 * slot each; one worker of one slot leaves nothing to compare.
 */
export function planTrial(slotsOfWorkers: readonly number[]): TrialPlan | null {
  const [only = 0] = slotsOfWorkers;
  const alone = slotsOfWorkers.length === 1;
  const workers = Math.min(alone ? only : slotsOfWorkers.length, MOST_WORKERS);
  const slots = alone ? 1 : Math.min(Math.max(1, Math.min(...slotsOfWorkers)), MOST_SLOTS);
  return workers < 2 ? null : { workers, slots, tasks: (ALONE_MS / TASK_MS) * slots };
}

export interface TrialFindings extends TrialPlan {
  readonly aloneMs: number;
  readonly togetherMs: number;
  readonly speedUp: number;
  /** Tasks that did not run exactly once. */
  readonly wrong: number;
}

export interface TrialOptions {
  readonly redisUrl: string;
  readonly connection: Connection;
  readonly plan: TrialPlan;
  readonly shards: number;
  readonly lockKeys: boolean;
  readonly signal: AbortSignal;
}

/** Whether the workers of a trial worked side by side. */
export function isSpedUp({ workers, speedUp }: Pick<TrialFindings, 'workers' | 'speedUp'>): boolean {
  return speedUp >= 1 + LEAST_GAIN * (workers - 1);
}

/**
 * The same load once by one worker and once by all, on a queue of its own, which is removed whatever happens. Where that looks serial it
 * is tried again, and the best counts.
 */
export async function runTrial(options: TrialOptions): Promise<TrialFindings> {
  const { connection, shards, lockKeys } = options;
  const name = `${TRIAL_QUEUE_PREFIX}${randomBytes(4).toString('hex')}`;
  try {
    const queue = await Queue.open(connection, name, { shards, lockKeys });
    let best = await tryOnce(queue, options);
    for (let trial = 1; trial < MOST_TRIALS && best.wrong === 0 && !isSpedUp(best); trial++) {
      const next = await tryOnce(queue, options);
      if (next.wrong > 0 || next.speedUp > best.speedUp) best = next;
    }
    return best;
  } finally {
    await removeQueue(connection, name);
  }
}

async function tryOnce(queue: Queue, options: TrialOptions): Promise<TrialFindings> {
  const alone = await doLoad(queue, 1, options);
  const together = await doLoad(queue, options.plan.workers, options);
  return {
    ...options.plan,
    aloneMs: alone.tookMs,
    togetherMs: together.tookMs,
    speedUp: alone.tookMs / together.tookMs,
    wrong: alone.wrong + together.wrong,
  };
}

async function doLoad(queue: Queue, workers: number, options: TrialOptions): Promise<{ tookMs: number; wrong: number }> {
  const { plan, redisUrl, signal } = options;
  const submitted = await Promise.all(Array.from({ length: plan.tasks }, () => queue.submit('wait', null)));
  const runs = new Map<string, number>(submitted.map(({ id }) => [id, 0]));
  let left = plan.tasks;
  let first = Number.POSITIVE_INFINITY;
  let done = (): void => undefined;
  const ended = new Promise<void>((resolve, reject) => {
    done = resolve;
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const handlers: Handlers = {
    wait: async ({ id }) => {
      first = Math.min(first, performance.now());
      runs.set(id, (runs.get(id) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, TASK_MS));
      if (--left <= 0) done();
      return undefined;
    },
  };
  const crew = Array.from({ length: workers }, () => new TrialWorker(redisUrl, queue.name, handlers, plan.slots));
  try {
    await Promise.all(crew.map((worker) => worker.start()));
    await ended;
    const tookMs = performance.now() - first;
    return { tookMs, wrong: [...runs.values()].filter((count) => count !== 1).length };
  } finally {
    await Promise.all(crew.map((worker) => worker.stop()));
  }
}

class TrialWorker {
  private readonly connection: Connection;
  private readonly queueName: string;
  private readonly handlers: Handlers;
  private readonly slots: number;
  private worker: Worker | null = null;

  constructor(redisUrl: string, queueName: string, handlers: Handlers, slots: number) {
    this.connection = connectRedis(redisUrl);
    this.queueName = queueName;
    this.handlers = handlers;
    this.slots = slots;
  }

  async start(): Promise<void> {
    const { connection, slots } = this;
    const queue = await Queue.open(connection, this.queueName);
    this.worker = new Worker({ connection, queues: [queue], executor: inProcess(this.handlers), slots });
    await this.worker.start();
  }

  async stop(): Promise<void> {
    // What has run is reported within this; what a broken-off trial left running is handed back.
    await this.worker?.stop(2 * TASK_MS);
    await this.connection.close();
  }
}
