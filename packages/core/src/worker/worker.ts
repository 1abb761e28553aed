import { GalleyError } from '@galley/contract';
import { type Clock, systemClock } from '../clock.ts';
import { type Logger, silentLogger } from '../maintenance/chore.ts';
import { ClaimLoop } from './claim-loop.ts';
import type { Claimed } from './claimer.ts';
import { EarlyWords } from './early-words.ts';
import { Heartbeat } from './heartbeat.ts';
import { Isolation } from './isolation.ts';
import { LeaseKeeper, trustedUntil } from './lease-keeper.ts';
import { LoopWatch } from './loop-watch.ts';
import { performRun, type RunEnvironment } from './perform-run.ts';
import { type WorkerState, workerState } from './registry.ts';
import { Reporter } from './reporter.ts';
import { messageOf, Run } from './run.ts';
import { Runs } from './runs.ts';
import { SlotLine } from './slot-line.ts';
import { stopByWord, stopForShutdown } from './stop-run.ts';
import { type ControlWord, WakeListener } from './wake-listener.ts';
import { newWorkerId, type WorkerOptions } from './worker-options.ts';

/** From its second crash on a task runs without neighbours in its process (DESIGN P6). */
const CRASHES_TO_ISOLATE = 2;
/** How often a stopping worker looks whether Redis is away, so that nothing can be handed back. */
const GIVE_UP_LOOK_MS = 1_000;

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
  private readonly claims: ClaimLoop;
  private readonly keeper: LeaseKeeper;
  private readonly wakeListener: WakeListener;
  private readonly heartbeat: Heartbeat;
  private readonly runs = new Runs();
  private readonly environment: RunEnvironment;
  /** For runs that never had a slot: they are only reported. */
  private readonly unstarted: RunEnvironment;
  /** Runs whose handlers have not stopped yet. One whose handler has stopped gives its slot on while it is being reported. */
  private executing = 0;
  private readonly startedAt: number;
  private handingBack = false;
  private readonly isolation: Isolation;
  private readonly slotLine: SlotLine;
  private readonly loopWatch: LoopWatch;
  private readonly earlyWords = new EarlyWords();
  private stopped: Promise<void> | null = null;
  private unlisten: (() => void) | null = null;

  constructor(options: WorkerOptions) {
    if (!Number.isInteger(options.slots) || options.slots < 1)
      throw new GalleyError('invalid_request', `a worker has a whole number of slots from 1 on, not ${options.slots}`);
    if (options.prefetch !== undefined && (!Number.isInteger(options.prefetch) || options.prefetch < 0))
      throw new GalleyError('invalid_request', `a worker prefetches a whole number of tasks from 0 on, not ${options.prefetch}`);
    if (options.queues.length === 0) throw new GalleyError('invalid_request', 'a worker serves at least one queue, not none');
    this.id = newWorkerId();
    this.options = options;
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.clock.now();
    this.isolation = options.isolation ?? new Isolation();
    this.slotLine = new SlotLine(options.slots);
    const leaseMs = Math.min(...options.queues.map((queue) => queue.settings.leaseMs));
    this.loopWatch = new LoopWatch({ clock: this.clock, logger: this.logger, worker: this.id, leaseMs });
    const { connection, queues, executor, slots, random = Math.random } = options;
    this.keeper = new LeaseKeeper({ connection, worker: this.id, clock: this.clock, logger: this.logger });
    const { id: workerId, logger, clock } = this;
    this.claims = new ClaimLoop({
      connection,
      queues,
      workerId,
      slots,
      clock,
      logger,
      random,
      freeSlots: () => this.freeSlots(),
      begin: (claimed, asked) => this.begin(claimed, asked),
    });
    const reporter = new Reporter({ connection, worker: workerId, random });
    this.environment = { executor, workerId, reporter, logger, clock, onExecuted: () => this.onExecuted() };
    this.unstarted = { ...this.environment, onExecuted: () => this.onUnstarted() };
    this.wakeListener = new WakeListener(connection, queues, {
      improved: (shardBase, score) => this.claims.improved(shardBase, score),
      back: () => {
        this.claims.refresh();
        // What was said to holders while nobody listened is learnt by renewing.
        this.keeper.renewAll();
      },
      control: (word) => this.heed(word),
      rate: () => this.claims.hearRates(),
    });
    this.heartbeat = new Heartbeat({
      connection,
      logger: this.logger,
      workerId: this.id,
      isBusy: () => this.executing > 0,
      state: () => this.state(),
      // A word that a rate was changed can be missed.
      alsoRead: () => this.claims.readRates(),
    });
  }

  /** Resolves when handlers are loaded and the first look for tasks has begun. */
  async start(): Promise<void> {
    await this.options.executor.start((why) => this.breakDown(why));
    await this.wakeListener.start();
    this.unlisten = this.options.connection.onAvailability((up) => {
      if (!up) return;
      this.keeper.renewAll();
      this.claims.ring();
    });
    await this.heartbeat.start();
    this.claims.start();
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

  /** Slots taken. */
  get busy(): number {
    return this.executing - this.slotLine.waiting;
  }

  /** What is claimed would never begin here; others can do it. */
  private breakDown(why: Error): void {
    this.logger.error({ event: 'handlers lost', err: why, worker: this.id }, 'handlers can no longer be run here: the worker stops');
    this.options.onBroken?.(why);
    this.stop(0).catch((error: unknown) => this.logger.error({ err: error }, 'the worker could not stop in order'));
  }

  private async shutDown(): Promise<void> {
    const claimed = this.claims.stop();
    this.slotLine.close();
    await this.drained(claimed);
    this.keeper.stop();
    await this.options.executor.stop();
    this.loopWatch.end();
    this.unlisten?.();
    await this.heartbeat.stop();
    this.wakeListener.close();
    this.logger.info({ event: 'worker stopped', worker: this.id }, 'worker stopped');
  }

  /** Every run has ended; or its time is over and Redis is away, so that leases must run out by themselves. */
  private async drained(claimed: Promise<void>): Promise<void> {
    let look: NodeJS.Timeout | undefined;
    const giveUp = new Promise<void>((resolve) => {
      look = setInterval(() => {
        if (!this.handingBack || this.options.connection.isUp()) return;
        this.logger.warn({ event: 'runs abandoned', worker: this.id, runs: this.runs.size }, 'Redis is away: leases must run out');
        resolve();
      }, GIVE_UP_LOOK_MS);
    });
    const ended = claimed.then(() => this.runs.ended());
    await Promise.race([ended, giveUp]);
    clearInterval(look);
  }

  private handBack(): void {
    this.handingBack = true;
    for (const run of this.runs) stopForShutdown(run);
  }

  /** A word can overtake the answer to the claim that it is about, so one that fits no run is kept for a while. */
  private heed(control: ControlWord): void {
    const run = this.runs.meantBy(control);
    if (run === undefined) this.earlyWords.keep(control);
    else stopByWord(run, control);
  }

  /** Reports under way are bounded too, so that a slow Redis is not buried in them. */
  private freeSlots(): number {
    if (this.isolation.closed) return 0;
    const { slots, prefetch = 0 } = this.options;
    return Math.min(slots + prefetch - this.executing, 2 * slots + prefetch - this.runs.size);
  }

  /** `asked`: monotonic time before the claim was sent; the lease began no earlier. */
  private begin({ queue, shard, reply }: Claimed, asked: number): void {
    const sure = trustedUntil(asked, queue.settings.leaseMs);
    if (reply.tasks.length > 0) this.heartbeat.hasten();
    for (const row of reply.tasks) {
      const message = messageOf(row, this.logger);
      const run = new Run(queue, shard, row, message, sure, this.options.exclusive?.includes(message.header.type));
      this.keeper.keep(run);
      const word = this.earlyWords.of(run);
      if (word !== undefined) stopByWord(run, word);
      if (this.handingBack) stopForShutdown(run);
      this.executing++;
      this.claims.began();
      this.loopWatch.begin();
      this.runs.add(run);
      void this.perform(run);
    }
  }

  /** Never rejects: how the run ended is reported, and that it could not be is logged. */
  private async perform(run: Run): Promise<void> {
    const hasSlot = this.slotLine.tryTake() || (await this.slotLine.take(run.row.record.score, run.signal));
    // Where it has waited for its slot in vain it is handed back at once, unless it was stopped for a reason of its own.
    if (!hasSlot) stopForShutdown(run);
    const alone = run.row.record.crashes >= CRASHES_TO_ISOLATE;
    const entered = hasSlot && (this.isolation.tryEnter(alone) || (await this.isolation.enter(alone, run.signal)));
    try {
      await performRun(run, hasSlot ? this.environment : this.unstarted);
    } finally {
      if (entered) this.isolation.leave(alone);
      this.keeper.drop(run);
      this.runs.delete(run);
      this.claims.ring();
    }
  }

  private onExecuted(): void {
    this.slotLine.leave();
    this.onUnstarted();
  }

  private onUnstarted(): void {
    this.executing--;
    this.claims.ended();
  }

  private state(): WorkerState {
    const { options, id: workerId, startedAt, busy } = this;
    const standstillMs = this.loopWatch.take(this.executing > 0);
    return workerState(options, { workerId, startedAt, busy, standstillMs, runs: [...this.runs] });
  }
}
