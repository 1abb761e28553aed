import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, type Random, systemClock } from '../clock.ts';
import { Chore, type Logger, silentLogger } from '../maintenance/chore.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import { decodeMessage, type TaskMessage } from '../rules/message.ts';
import type { ClaimedRow } from '../scripts/claim.ts';
import { type Claimed, Claimer } from './claimer.ts';
import type { Executor } from './executor.ts';
import { Isolation } from './isolation.ts';
import { LeaseKeeper, trustedUntil } from './lease-keeper.ts';
import { performRun, type RunEnvironment } from './perform-run.ts';
import { deregister, HEARTBEAT_MS, register } from './registry.ts';
import { Reporter } from './reporter.ts';
import { Run } from './run.ts';
import { type ControlWord, WakeListener } from './wake-listener.ts';

export interface WorkerOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly executor: Executor;
  /** Tasks at once. */
  readonly slots: number;
  /** Types of tasks whose handlers are stopped as soon as their lease is no longer sure, not only when it is known to be lost. */
  readonly exclusive?: readonly string[];
  readonly version?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Shared by the workers of one process, so that a run which must be alone in it is; left out, the worker has one of its own. */
  readonly isolation?: Isolation;
  /** A name for a task in the worker list, such as its file's. */
  readonly nameOf?: (run: Run) => string | undefined;
}

/** From its second crash on a task runs without neighbours in its process (DESIGN P6). */
const CRASHES_TO_ISOLATE = 2;
/** An idle worker looks again after this long even if nothing woke it. */
const IDLE_LOOK_MS = 5_000;
/** On a cluster the node it listens on can change without a word, and what was said meanwhile is lost (DESIGN P13). */
const CLUSTER_LOOK_MS = 1_500;
/** After a failed claim it looks again this soon: nothing may wake it (DESIGN P13). */
const FAILED_LOOK_MS = 250;
/** Words to holders that come before the claim's own answer are kept, at most so many. */
const EARLY_WORDS = 1_000;
/** How often a stopping worker looks whether Redis is away, so that nothing can be handed back. */
const GIVE_UP_LOOK_MS = 1_000;

/** Unique per process and start; never contains `#`, which ends it in a lock key. */
export function newWorkerId(): string {
  const host =
    hostname()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32) || 'host';
  return `${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Claims tasks for its free slots, keeps their leases, and reports how they ended.
 *
 * States: idle → `start` → running → `stop` → draining (claims nothing, runs finish) → after the grace period handing back
 * → stopped. Stopping goes in this order: claiming first, so that nothing new begins; runs next, while leases are still
 * renewed; then the threads; the registration last, because until then an operator should see what is still running.
 */
export class Worker {
  readonly id: string;
  private readonly options: WorkerOptions;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly claimer: Claimer;
  private readonly keeper: LeaseKeeper;
  private readonly wakeListener: WakeListener;
  private readonly heartbeat: Chore;
  private readonly runs = new Set<Run>();
  private readonly environment: RunEnvironment;
  private allEnded: (() => void) | null = null;
  /** Handlers at work. A run whose handler has stopped gives its slot on while it is being reported. */
  private executing = 0;
  private readonly pausedUntil = new Map<Queue, number>();
  private readonly startedAt: number;
  private stopping = false;
  private handingBack = false;
  private claimFailed = false;
  private readonly isolation: Isolation;
  private readonly earlyWords = new Map<string, ControlWord>();
  private woken = false;
  private wakeUp: (() => void) | null = null;
  private loop: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | null = null;
  private unlisten: (() => void) | null = null;

  constructor(options: WorkerOptions) {
    this.id = newWorkerId();
    this.options = options;
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.clock.now();
    this.isolation = options.isolation ?? new Isolation();
    const { connection, queues } = options;
    this.claimer = new Claimer(connection, queues, this.id, this.clock, (error) =>
      this.logger.warn({ err: error }, 'a claim failed; it is tried again'),
    );
    this.keeper = new LeaseKeeper({ connection, worker: this.id, clock: this.clock, logger: this.logger });
    const reporter = new Reporter({ connection, worker: this.id, random: options.random ?? Math.random });
    const { executor } = options;
    const { id: workerId, logger, clock } = this;
    this.environment = { executor, workerId, reporter, logger, clock, onExecuted: () => this.onExecuted() };
    this.wakeListener = new WakeListener(connection, queues, {
      improved: (shardBase, score) => {
        this.pausedUntil.clear();
        this.claimer.improved(shardBase, score);
        this.wake();
      },
      back: () => {
        this.claimer.refresh();
        this.wake();
        // What was said to holders while nobody listened is learnt by renewing.
        this.keeper.renewAll();
      },
      control: (word) => this.heed(word),
      rate: () => {
        this.readRates().catch((error: unknown) => this.logger.warn({ err: error }, 'rates could not be read; they are read again'));
      },
    });
    this.heartbeat = new Chore({ name: 'heartbeat', periodMs: HEARTBEAT_MS, connection, logger: this.logger, pass: () => this.beat() });
  }

  /** Resolves when handlers are loaded and the first look for tasks has begun. */
  async start(): Promise<void> {
    await this.options.executor.start();
    await this.wakeListener.start();
    this.unlisten = this.options.connection.onAvailability((up) => {
      if (!up) return;
      this.keeper.renewAll();
      this.wake();
    });
    await this.register();
    await this.readRates();
    this.heartbeat.start();
    this.loop = this.claimLoop();
    this.logger.info(
      { event: 'worker started', worker: this.id, slots: this.options.slots, queues: this.options.queues.map((queue) => queue.name) },
      'worker started',
    );
  }

  /**
   * Stops claiming, waits up to `graceMs` for what runs, hands the rest back in its own place with no attempt spent.
   * Called again with a shorter grace it hurries.
   */
  stop(graceMs: number): Promise<void> {
    const hurry = setTimeout(() => this.handBack(), graceMs);
    this.stopped ??= this.shutDown();
    return this.stopped.finally(() => clearTimeout(hurry));
  }

  get busy(): number {
    return this.executing;
  }

  private async shutDown(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.drained();
    await this.options.executor.stop();
    this.unlisten?.();
    await this.heartbeat.stop();
    this.wakeListener.close();
    if (this.options.connection.isUp()) await deregister(this.options.connection, this.id);
    this.logger.info({ event: 'worker stopped', worker: this.id }, 'worker stopped');
  }

  /** Every run has ended; or its time is over and Redis is away, so that leases must run out by themselves. */
  private async drained(): Promise<void> {
    let look: NodeJS.Timeout | undefined;
    const giveUp = new Promise<void>((resolve) => {
      look = setInterval(() => {
        if (!this.handingBack || this.options.connection.isUp()) return;
        this.logger.warn({ event: 'runs abandoned', worker: this.id, runs: this.runs.size }, 'Redis is away: leases must run out');
        resolve();
      }, GIVE_UP_LOOK_MS);
    });
    const ended = this.loop.then(() => this.runsEnded());
    await Promise.race([ended, giveUp]);
    clearInterval(look);
  }

  private runsEnded(): Promise<void> {
    return new Promise((resolve) => {
      if (this.runs.size === 0) resolve();
      else this.allEnded = resolve;
    });
  }

  private handBack(): void {
    this.handingBack = true;
    for (const run of this.runs) stopForShutdown(run);
  }

  /** A word can overtake the answer to the claim that it is about, so one that fits no run is kept for a while. */
  private heed(control: ControlWord): void {
    const run = [...this.runs].find((own) => own.id === control.taskId && own.fence === control.fence);
    if (run !== undefined) {
      stopByWord(run, control);
      return;
    }
    this.earlyWords.set(`${control.taskId}#${control.fence}`, control);
    const [oldest] = this.earlyWords.keys();
    if (this.earlyWords.size > EARLY_WORDS && oldest !== undefined) this.earlyWords.delete(oldest);
  }

  private wake(): void {
    this.woken = true;
    this.wakeUp?.();
  }

  private async claimLoop(): Promise<void> {
    while (!this.stopping) {
      this.woken = false;
      // Runs that ended in this turn of the event loop free their slots together, so that one claim fills them.
      await nextTurn();
      const free = this.isolation.closed ? 0 : this.freeSlots();
      const asked = this.clock.monotonic();
      const claimed = free > 0 && this.options.connection.isUp() ? await this.tryClaim(free, asked) : [];
      for (const share of claimed) this.begin(share, asked);
      if (claimed.length > 0) continue;
      // A wake-up that overtook the answer is not lost: `woken` was cleared before asking.
      if (!this.woken && !this.stopping) await this.idle();
    }
  }

  /** Reports under way are bounded too, so that a slow Redis is not buried in them. */
  private freeSlots(): number {
    const { slots } = this.options;
    return Math.min(slots - this.executing, 2 * slots - this.runs.size);
  }

  private async tryClaim(free: number, asked: number): Promise<Claimed[]> {
    this.claimFailed = false;
    try {
      const claimed = await this.claimer.claim(free, (queue) => (this.pausedUntil.get(queue) ?? 0) > asked);
      this.claimFailed = this.claimer.failing;
      for (const { queue, reply } of claimed) if (reply.paused) this.pausedUntil.set(queue, asked + IDLE_LOOK_MS);
      return claimed;
    } catch (error) {
      this.logger.warn({ err: error }, 'a claim failed; it is tried again');
      this.claimer.refresh();
      this.claimFailed = true;
      return [];
    }
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wakeUp = null;
        resolve();
      };
      const idleLook = this.options.connection.isCluster ? CLUSTER_LOOK_MS : IDLE_LOOK_MS;
      const look = this.claimFailed ? FAILED_LOOK_MS : idleLook;
      const timer = setTimeout(done, Math.min(look, this.claimer.rates.nextInMs));
      this.wakeUp = done;
    });
  }

  /** `asked`: monotonic time before the claim was sent; the lease began no earlier. */
  private begin({ queue, shard, reply }: Claimed, asked: number): void {
    const sure = trustedUntil(asked, queue.settings.leaseMs);
    for (const row of reply.tasks) {
      const message = this.messageOf(row);
      const run = new Run(queue, shard, row, message, sure, this.options.exclusive?.includes(message.header.type));
      this.keeper.keep(run);
      const word = this.earlyWords.get(`${run.id}#${run.fence}`);
      if (word !== undefined) stopByWord(run, word);
      if (this.handingBack) stopForShutdown(run);
      this.executing++;
      this.runs.add(run);
      void this.perform(run);
    }
  }

  /** A message that cannot be read becomes a dead letter through the missing handler, never an endless claim. */
  private messageOf(row: ClaimedRow): TaskMessage {
    try {
      return decodeMessage(row.message);
    } catch (error) {
      this.logger.error({ err: error, task: row.id }, 'a task has no readable message');
      return { header: { type: '' }, payload: null };
    }
  }

  /** Never rejects: how the run ended is reported, and that it could not be is logged. */
  private async perform(run: Run): Promise<void> {
    const alone = run.row.record.crashes >= CRASHES_TO_ISOLATE;
    const entered = this.isolation.tryEnter(alone) || (await this.isolation.enter(alone, run.signal));
    try {
      await performRun(run, this.environment);
    } finally {
      if (entered) this.isolation.leave(alone);
      this.keeper.drop(run);
      this.runs.delete(run);
      if (this.runs.size === 0) this.allEnded?.();
      this.wake();
    }
  }

  private onExecuted(): void {
    this.executing--;
    this.wake();
  }

  private async beat(): Promise<boolean> {
    await Promise.all([this.register(), this.readRates()]);
    return false;
  }

  /** A word that a rate was changed can be missed, so they are read with each heartbeat too. */
  private async readRates(): Promise<void> {
    if (await this.claimer.rates.refresh()) this.wake();
  }

  private async register(): Promise<void> {
    const { connection, queues, slots, version, nameOf } = this.options;
    await register(connection, {
      workerId: this.id,
      host: hostname(),
      pid: process.pid,
      queues: queues.map((queue) => queue.name),
      leasesMs: Object.fromEntries(queues.map((queue) => [queue.name, queue.settings.leaseMs])),
      slots,
      busy: this.executing,
      tasks: [...this.runs].map((run) => {
        const filename = nameOf?.(run);
        return { taskId: run.id, ...(filename === undefined ? {} : { filename }) };
      }),
      startedAt: this.startedAt,
      rssBytes: process.memoryUsage.rss(),
      version: version ?? '0.0.0',
    });
  }
}

function stopForShutdown(run: Run): void {
  run.stop('stopping', 'the worker is stopping and its grace period is over');
}

function stopByWord(run: Run, { word }: ControlWord): void {
  if (word === 'cancel') run.stop('cancelled', 'the task was cancelled');
  else run.stop('lease_lost', 'the task was taken back');
}
