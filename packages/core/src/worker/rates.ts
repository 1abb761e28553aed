import type { Clock } from '../clock.ts';
import type { Queue } from '../queue/queue.ts';
import { type QueueRate, rateShard, readRate } from '../queue/rate.ts';
import { REPLAY_MS, RequestSlots } from '../queue/request-slots.ts';
import type { Connection } from '../redis/connection.ts';
import { rateKey, replayKey } from '../redis/keys.ts';
import { type Permit, parsePermit, permitScript } from '../scripts/permit.ts';

/** What came of permits: how many runs were started, and how many of them after the permit's time. */
export interface Spent {
  readonly started: number;
  readonly late: number;
}

interface Settlement {
  readonly ticket: number;
  readonly unspent: number;
  readonly late: number;
}

const NOTHING: Settlement = { ticket: 0, unspent: 0, late: 0 };

interface Entry {
  readonly queue: Queue;
  readonly slots: RequestSlots;
  rate: QueueRate | null;
  /** Monotonic time until which there are no permits. */
  heldUntil: number;
}

/**
 * Rates of whole queues. A worker takes permits from the queue's one bucket just before it claims, spends them on any shard,
 * and gives back what the claim left over. A queue without a rate is never asked about.
 */
export class Rates {
  private readonly connection: Connection;
  private readonly clock: Clock;
  private readonly entries: readonly Entry[];
  private readonly onError: (error: Error) => void;

  constructor(connection: Connection, queues: readonly Queue[], worker: string, clock: Clock, onError: (error: Error) => void = () => {}) {
    this.connection = connection;
    this.clock = clock;
    this.onError = onError;
    this.entries = queues.map((queue) => ({ queue, slots: new RequestSlots(`${worker}:rate`), rate: null, heldUntil: 0 }));
  }

  /** Reads the rates as they are stored; true where one has changed. */
  async refresh(): Promise<boolean> {
    const changed = await Promise.all(
      this.entries.map(async (entry) => {
        const rate = await readRate(this.connection, entry.queue.layout);
        if (rate?.count === entry.rate?.count && rate?.perMs === entry.rate?.perMs) return false;
        entry.rate = rate;
        entry.heldUntil = 0;
        return true;
      }),
    );
    return changed.some(Boolean);
  }

  isLimited(queue: Queue): boolean {
    return this.entries.some((entry) => entry.queue === queue && entry.rate !== null);
  }

  get any(): boolean {
    return this.entries.some((entry) => entry.rate !== null);
  }

  /** Whether nothing of the queue may start now. */
  isHeld(queue: Queue): boolean {
    const entry = this.entries.find((other) => other.queue === queue);
    return entry !== undefined && this.isHolding(entry);
  }

  get allHeld(): boolean {
    return this.entries.every((entry) => this.isHolding(entry));
  }

  /** Milliseconds until the first queue that is held may start again; infinite where none is. */
  get nextInMs(): number {
    const times = this.entries.flatMap((entry) => (this.isHolding(entry) ? [entry.heldUntil - this.clock.monotonic()] : []));
    return Math.min(Number.POSITIVE_INFINITY, ...times);
  }

  /** Permits for up to so many runs of each queue. What is not settled counts as spent in time. */
  async take(wanted: ReadonlyMap<Queue, number>): Promise<Map<Queue, Permit>> {
    const permits = new Map<Queue, Permit>();
    const asked = this.entries.flatMap((entry) => {
      const want = wanted.get(entry.queue);
      return want === undefined ? [] : [{ entry, want }];
    });
    await Promise.all(
      asked.map(async ({ entry, want }) => {
        const permit = await this.ask(entry, want, NOTHING);
        if (permit === null) {
          // The rate was taken away since it was read.
          entry.rate = null;
          permits.set(entry.queue, { count: want, ticket: 0, until: Number.POSITIVE_INFINITY, waitMs: 0 });
          return;
        }
        if (permit.waitMs > 0) entry.heldUntil = this.clock.monotonic() + permit.waitMs;
        permits.set(entry.queue, permit);
      }),
    );
    return permits;
  }

  /** Gives back what was not spent, and has what was spent late counted where it was spent. Nobody waits for it. */
  settle(queue: Queue, permit: Permit, { started, late }: Spent): void {
    const entry = this.entries.find((other) => other.queue === queue);
    const unspent = Math.max(0, permit.count - started);
    if (entry === undefined || permit.ticket === 0 || (unspent === 0 && late === 0)) return;
    this.ask(entry, 0, { ticket: permit.ticket, unspent, late }).catch((error: unknown) =>
      this.onError(error instanceof Error ? error : new Error(String(error))),
    );
  }

  private isHolding(entry: Entry): boolean {
    return entry.rate !== null && this.clock.monotonic() < entry.heldUntil;
  }

  private ask(entry: Entry, want: number, settlement: Settlement): Promise<Permit | null> {
    const { base } = rateShard(entry.queue.layout).keys;
    return entry.slots.use(async ({ slot, requestId }) =>
      parsePermit(
        await this.connection.run(
          permitScript,
          { rate: rateKey(base), replay: replayKey(base, entry.slots.client, slot) },
          { request_id: requestId, replay_ms: REPLAY_MS, want, ...settlement },
        ),
      ),
    );
  }
}
