import type { Clock, Random } from '../clock.ts';
import type { Logger } from '../maintenance/chore.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import { ClaimPace } from './claim-pace.ts';
import { type Claimed, Claimer } from './claimer.ts';
import { Eagerness } from './eagerness.ts';
import { nextTurn, WakeUp } from './wake-up.ts';

/** An idle worker looks again after this long even if nothing woke it. */
const IDLE_LOOK_MS = 5_000;
/** On a cluster the node it listens on can change without a word, and what was said meanwhile is lost (DESIGN P13). */
const CLUSTER_LOOK_MS = 1_500;
/** After a failed claim it looks again this soon: nothing may wake it (DESIGN P13). */
const FAILED_LOOK_MS = 250;

export interface ClaimLoopOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly workerId: string;
  readonly slots: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: Random;
  /** How many runs may begin now. */
  readonly freeSlots: () => number;
  /** `asked`: monotonic time before the claim was sent; the leases began no earlier. */
  readonly begin: (claimed: Claimed, asked: number) => void;
}

/**
 * Claims what may begin, whenever a slot falls free or something may have come: it rests in between until it is woken, and looks
 * seldom where nothing wakes it.
 */
export class ClaimLoop {
  private readonly options: ClaimLoopOptions;
  private readonly claimer: Claimer;
  private readonly pace: ClaimPace;
  private readonly eagerness: Eagerness;
  private readonly wakeUp = new WakeUp();
  private readonly pausedUntil = new Map<Queue, number>();
  /** Whether a word of a better head is what woke it: as it came, or later. */
  private actsOnWord: 'at once' | 'late' | null = null;
  private laterLook: NodeJS.Timeout | null = null;
  private claimFailed = false;
  private stopping = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(options: ClaimLoopOptions) {
    const { connection, queues, workerId, slots, clock, random } = options;
    this.options = options;
    this.claimer = new Claimer(connection, queues, workerId, clock, (error) => this.complain(error, 'a claim failed; it is tried again'));
    this.pace = new ClaimPace(clock, slots);
    this.eagerness = new Eagerness(random);
  }

  start(): void {
    this.loop = this.run();
  }

  /** Resolves when nothing is claimed any more. */
  stop(): Promise<void> {
    this.stopping = true;
    if (this.laterLook !== null) clearTimeout(this.laterLook);
    this.wakeUp.ring();
    return this.loop;
  }

  /** It is worth looking again. */
  ring(): void {
    this.wakeUp.ring();
  }

  /** A run that was claimed has begun. */
  began(): void {
    this.pace.began();
  }

  /** Its handler has stopped, so there is room for another. */
  ended(): void {
    this.pace.ended();
    this.wakeUp.ring();
  }

  /** The head of this shard's line has improved to `score`. */
  improved(shardBase: string, score: number): void {
    this.pausedUntil.clear();
    this.claimer.improved(shardBase, score);
    const delayMs = this.eagerness.delayMs();
    if (delayMs === 0) this.actOnWord('at once');
    else this.laterLook ??= setTimeout(() => this.lookLate(), delayMs);
  }

  /** Nothing was heard for a while: what is known of the lines and the rates may be old. */
  refresh(): void {
    this.claimer.refresh();
    this.wakeUp.ring();
    this.hearRates();
  }

  /** A rate was changed. */
  hearRates(): void {
    this.readRates().catch((error: unknown) => this.complain(error, 'rates could not be read; they are read again'));
  }

  /** Reads the queues' rates as they are now. */
  async readRates(): Promise<void> {
    if (await this.claimer.rates.refresh()) this.wakeUp.ring();
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

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.wakeUp.clear();
      // Runs that ended in this turn of the event loop free their slots together, so that one claim fills them.
      await nextTurn();
      const { connection, clock, freeSlots, begin } = this.options;
      const free = freeSlots();
      const asked = clock.monotonic();
      const claimed = free > 0 && connection.isUp() ? await this.tryClaim(this.pace.limit(free), asked) : [];
      for (const share of claimed) begin(share, asked);
      if (claimed.length > 0) continue;
      // A wake-up that overtook the answer is not lost: it rang after `clear`.
      if (!this.stopping) await this.wakeUp.rest(this.lookAgainInMs());
    }
  }

  private async tryClaim(free: number, asked: number): Promise<Claimed[]> {
    this.claimFailed = false;
    const { actsOnWord } = this;
    this.actsOnWord = null;
    try {
      const claimed = await this.claimer.claim(free, (queue) => (this.pausedUntil.get(queue) ?? 0) > asked);
      const found = claimed.reduce((count, { reply }) => count + reply.tasks.length, 0);
      this.pace.claimed(this.options.clock.monotonic() - asked, found);
      if (actsOnWord !== null && !claimed.some(({ reply }) => reply.paused)) this.eagerness.acted(found > 0, actsOnWord === 'late');
      this.claimFailed = this.claimer.failing;
      for (const { queue, reply } of claimed) if (reply.paused) this.pausedUntil.set(queue, asked + IDLE_LOOK_MS);
      return claimed;
    } catch (error) {
      this.complain(error, 'a claim failed; it is tried again');
      this.claimer.refresh();
      this.claimFailed = true;
      return [];
    }
  }

  private lookAgainInMs(): number {
    const idleLook = this.options.connection.isCluster ? CLUSTER_LOOK_MS : IDLE_LOOK_MS;
    return Math.min(this.claimFailed ? FAILED_LOOK_MS : idleLook, this.claimer.rates.nextInMs);
  }

  private complain(error: unknown, sentence: string): void {
    this.options.logger.warn({ err: error }, sentence);
  }
}
