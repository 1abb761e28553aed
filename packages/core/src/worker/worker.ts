import { GalleyError } from '@galley/contract';
import { type Clock, systemClock } from '../clock.ts';
import { type Logger, silentLogger } from '../maintenance/chore.ts';
import type { Queue } from '../queue/queue.ts';
import { ClaimPace } from './claim-pace.ts';
import { type Claimed, Claimer } from './claimer.ts';
import { Eagerness } from './eagerness.ts';
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
import { nextTurn, WakeUp } from './wake-up.ts';
import { newWorkerId, type WorkerOptions } from './worker-options.ts';

/** From its second crash on a task runs without neighbours in its process (DESIGN P6). */
const CRASHES_TO_ISOLATE = 2;
/** An idle worker looks again after this long even if nothing woke it. */
const IDLE_LOOK_MS = 5_000;
/** On a cluster the node it listens on can change without a word, and what was said meanwhile is lost (DESIGN P13). */
const CLUSTER_LOOK_MS = 1_500;
/** After a failed claim it looks again this soon: nothing may wake it (DESIGN P13). */
const FAILED_LOOK_MS = 250;
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
  private readonly claimer: Claimer;
  private readonly pace: ClaimPace;
  private readonly keeper: LeaseKeeper;
  private readonly wakeListener: WakeListener;
  private readonly heartbeat: Heartbeat;
  private readonly runs = new Runs();
  private readonly environment: RunEnvironment;
  /** For runs that never had a slot: they are only reported. */
  private readonly unstarted: RunEnvironment;
  /** Runs whose handlers have not stopped yet. One whose handler has stopped gives its slot on while it is being reported. */
  private executing = 0;
  private readonly pausedUntil = new Map<Queue, number>();
  private readonly startedAt: number;
  private stopping = false;
  private handingBack = false;
  private claimFailed = false;
  private readonly isolation: Isolation;
  private readonly slotLine: SlotLine;
  private readonly loopWatch: LoopWatch;
  private readonly earlyWords = new EarlyWords();
  private readonly wakeUp = new WakeUp();
  private readonly eagerness: Eagerness;
  /** Whether a word of a better head is what woke it: as it came, or later. */
  private actsOnWord: 'at once' | 'late' | null = null;
  private laterLook: NodeJS.Timeout | null = null;
  private loop: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | null = null;
  private unlisten: (() => void) | null = null;

  constructor(options: WorkerOptions) {
    if (!Number.isInteger(options.slots) || options.slots < 1)
      throw new GalleyError('invalid_request', `a worker has a whole number of slots from 1 on, not ${options.slots}`);
    this.id = newWorkerId();
    this.options = options;
    this.logger = options.logger ?? silentLogger;
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.clock.now();
    this.isolation = options.isolation ?? new Isolation();
    this.slotLine = new SlotLine(options.slots);
    this.pace = new ClaimPace(this.clock, options.slots);
    const leaseMs = Math.min(...options.queues.map((queue) => queue.settings.leaseMs));
    this.loopWatch = new LoopWatch({ clock: this.clock, logger: this.logger, worker: this.id, leaseMs });
    const { connection, queues } = options;
    this.claimer = new Claimer(connection, queues, this.id, this.clock, (error) =>
      this.logger.warn({ err: error }, 'a claim failed; it is tried again'),
    );
    this.keeper = new LeaseKeeper({ connection, worker: this.id, clock: this.clock, logger: this.logger });
    const { random = Math.random } = options;
    this.eagerness = new Eagerness(random);
    const reporter = new Reporter({ connection, worker: this.id, random });
    const { executor } = options;
    const { id: workerId, logger, clock } = this;
    this.environment = { executor, workerId, reporter, logger, clock, onExecuted: () => this.onExecuted() };
    this.unstarted = { ...this.environment, onExecuted: () => this.onUnstarted() };
    this.wakeListener = new WakeListener(connection, queues, {
      improved: (shardBase, score) => {
        this.pausedUntil.clear();
        this.claimer.improved(shardBase, score);
        const delayMs = this.eagerness.delayMs();
        if (delayMs === 0) this.actOnWord('at once');
        else this.laterLook ??= setTimeout(() => this.lookLate(), delayMs);
      },
      back: () => {
        this.claimer.refresh();
        this.wakeUp.ring();
        // What was said to holders while nobody listened is learnt by renewing.
        this.keeper.renewAll();
        this.hearRates();
      },
      control: (word) => this.heed(word),
      rate: () => this.hearRates(),
    });
    this.heartbeat = new Heartbeat({
      connection,
      logger: this.logger,
      workerId: this.id,
      isBusy: () => this.executing > 0,
      state: () => this.state(),
      alsoRead: () => this.readRates(),
    });
  }

  /** Resolves when handlers are loaded and the first look for tasks has begun. */
  async start(): Promise<void> {
    await this.options.executor.start((why) => this.breakDown(why));
    await this.wakeListener.start();
    this.unlisten = this.options.connection.onAvailability((up) => {
      if (!up) return;
      this.keeper.renewAll();
      this.wakeUp.ring();
    });
    await this.heartbeat.start();
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
    this.stopping = true;
    if (this.laterLook !== null) clearTimeout(this.laterLook);
    this.wakeUp.ring();
    this.slotLine.close();
    await this.drained();
    await this.options.executor.stop();
    this.loopWatch.end();
    this.unlisten?.();
    await this.heartbeat.stop();
    this.wakeListener.close();
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
    const ended = this.loop.then(() => this.runs.ended());
    await Promise.race([ended, giveUp]);
    clearInterval(look);
  }

  private handBack(): void {
    this.handingBack = true;
    for (const run of this.runs) stopForShutdown(run);
  }

  private lookLate(): void {
    this.laterLook = null;
    this.claimer.refresh();
    this.actOnWord('late');
  }

  private actOnWord(when: 'at once' | 'late'): void {
    this.actsOnWord = when;
    this.wakeUp.ring();
  }

  /** A word can overtake the answer to the claim that it is about, so one that fits no run is kept for a while. */
  private heed(control: ControlWord): void {
    const run = this.runs.meantBy(control);
    if (run === undefined) this.earlyWords.keep(control);
    else stopByWord(run, control);
  }

  private async claimLoop(): Promise<void> {
    while (!this.stopping) {
      this.wakeUp.clear();
      // Runs that ended in this turn of the event loop free their slots together, so that one claim fills them.
      await nextTurn();
      const free = this.isolation.closed ? 0 : this.freeSlots();
      const asked = this.clock.monotonic();
      const claimed = free > 0 && this.options.connection.isUp() ? await this.tryClaim(this.pace.limit(free), asked) : [];
      for (const share of claimed) this.begin(share, asked);
      if (claimed.length > 0) continue;
      // A wake-up that overtook the answer is not lost: it rang after `clear`.
      if (!this.stopping) await this.wakeUp.rest(this.lookAgainInMs());
    }
  }

  /** Reports under way are bounded too, so that a slow Redis is not buried in them. */
  private freeSlots(): number {
    const { slots, prefetch = 0 } = this.options;
    return Math.min(slots + prefetch - this.executing, 2 * slots + prefetch - this.runs.size);
  }

  private async tryClaim(free: number, asked: number): Promise<Claimed[]> {
    this.claimFailed = false;
    const { actsOnWord } = this;
    this.actsOnWord = null;
    try {
      const claimed = await this.claimer.claim(free, (queue) => (this.pausedUntil.get(queue) ?? 0) > asked);
      const found = claimed.reduce((count, { reply }) => count + reply.tasks.length, 0);
      this.pace.claimed(this.clock.monotonic() - asked, found);
      if (actsOnWord !== null && !claimed.some(({ reply }) => reply.paused)) this.eagerness.acted(found > 0, actsOnWord === 'late');
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

  private lookAgainInMs(): number {
    const idleLook = this.options.connection.isCluster ? CLUSTER_LOOK_MS : IDLE_LOOK_MS;
    return Math.min(this.claimFailed ? FAILED_LOOK_MS : idleLook, this.claimer.rates.nextInMs);
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
      this.pace.began();
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
      this.wakeUp.ring();
    }
  }

  private onExecuted(): void {
    this.slotLine.leave();
    this.onUnstarted();
  }

  private onUnstarted(): void {
    this.executing--;
    this.pace.ended();
    this.wakeUp.ring();
  }

  private hearRates(): void {
    this.readRates().catch((error: unknown) => this.logger.warn({ err: error }, 'rates could not be read; they are read again'));
  }

  /** A word that a rate was changed can be missed, so they are read with each heartbeat too. */
  private async readRates(): Promise<void> {
    if (await this.claimer.rates.refresh()) this.wakeUp.ring();
  }

  private state(): WorkerState {
    const { options, id: workerId, startedAt, busy } = this;
    const standstillMs = this.loopWatch.take(this.executing > 0);
    return workerState(options, { workerId, startedAt, busy, standstillMs, runs: [...this.runs] });
  }
}
