import type { Clock } from '../clock.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { REPLAY_MS, RequestSlots } from '../queue/request-slots.ts';
import { timelineMs } from '../queue/settings.ts';
import { type Connection, type PreparedCall, prepareCall, type RoundTrip } from '../redis/connection.ts';
import { replayKey } from '../redis/keys.ts';
import { type ClaimReply, claimScript, parseClaim } from '../scripts/claim.ts';
import { type ClaimShare, divideClaims, divideWithin, peekDepth } from './claim-plan.ts';
import { Rates } from './rates.ts';

/** Heads known for longer than this are read again before they are claimed by (DESIGN P4: a short window). */
const HEADS_AGE_MS = 10;

export interface Claimed {
  readonly queue: Queue;
  readonly shard: ShardLayout;
  readonly reply: ClaimReply;
}

/** A shard whose claim failed is left alone for this long, so that it neither stops the others nor floods the log. */
const FAILED_SHARD_MS = 250;

interface Source {
  readonly queue: Queue;
  readonly shard: ShardLayout;
  readonly slots: RequestSlots;
}

/**
 * Strict priority over shards (DESIGN §3): the best scores of all shards are peeked, and claims take only what no known
 * task of another shard beats (claim-plan.ts). Each round trip carries the claims and the peek for the next.
 */
export class Claimer {
  private readonly connection: Connection;
  private readonly worker: string;
  private readonly clock: Clock;
  private readonly sources: readonly Source[];
  private heads: readonly (readonly number[])[] | null = null;
  private headsAskedAt = 0;
  private depth = 1;
  /** How deep to look where no claim rides along to say: as the last one needed, at first deep enough for all slots. */
  private wantedDepth: number | null = null;
  private turn = 0;
  /** Rises with each refresh: a peek that was under way then may not have seen what has changed. */
  private generation = 0;
  /** Lines that improved during a round trip, which its peek may not have seen: index of the source and the new head's score. */
  private missed: [source: number, score: number][] = [];
  private exchanging = false;
  /** Index of the source → monotonic time until which it is left alone. */
  private readonly failedUntil = new Map<number, number>();
  private readonly onError: (error: Error) => void;
  /** Rates of the queues; nothing is claimed past them. */
  readonly rates: Rates;

  constructor(connection: Connection, queues: readonly Queue[], worker: string, clock: Clock, onError: (error: Error) => void = () => {}) {
    this.onError = onError;
    this.connection = connection;
    this.worker = worker;
    this.clock = clock;
    this.rates = new Rates(connection, queues, worker, clock, onError);
    this.sources = queues.flatMap((queue) => queue.layout.shardList.map((shard) => ({ queue, shard, slots: new RequestSlots(worker) })));
  }

  /** Forgets what is known of the lines: something has improved one of them. */
  refresh(): void {
    this.generation++;
    this.heads = null;
  }

  /**
   * A shard's head has improved to this score. Where the other heads are known, from a peek and from such words since, it
   * can be claimed without another look.
   */
  improved(shardBase: string, score: number): void {
    const improved = this.sources.findIndex(({ shard }) => shard.keys.base === shardBase);
    if (improved < 0) return this.refresh();
    if (this.exchanging) this.missed.push([improved, score]);
    if (this.heads === null) return;
    // Behind each head there may be more than was seen, so one of each is all that is known.
    this.heads = this.heads.map((scores, index) => (index === improved ? [score] : scores.slice(0, 1)));
    this.depth = 1;
    this.headsAskedAt = this.clock.monotonic();
  }

  /** Whether shards are left alone because their claims failed, so that it is worth looking again soon. */
  get failing(): boolean {
    return this.failedUntil.size > 0;
  }

  private isFailing(index: number): boolean {
    const until = this.failedUntil.get(index);
    if (until === undefined) return false;
    if (this.clock.monotonic() < until) return true;
    this.failedUntil.delete(index);
    return false;
  }

  private fail(index: number, error: Error): void {
    this.failedUntil.set(index, this.clock.monotonic() + FAILED_SHARD_MS);
    this.heads = null;
    this.onError(error);
  }

  /** Up to `free` of the best tasks there are, best shard first; empty where every line is. */
  async claim(free: number, isPaused: (queue: Queue) => boolean): Promise<Claimed[]> {
    if (this.rates.allHeld) return [];
    const fresh = this.heads !== null && this.clock.monotonic() - this.headsAskedAt <= HEADS_AGE_MS;
    if (!fresh) await this.exchange([], free);
    const heads = (this.heads ?? []).map((scores, index) => {
      const source = this.sources[index];
      return source === undefined || isPaused(source.queue) || this.rates.isHeld(source.queue) || this.isFailing(index) ? [] : scores;
    });
    const shares = divideClaims(heads, free, this.depth, this.turn++);
    if (shares.length === 0) return [];
    return this.rates.any ? this.claimRated(heads, shares, free) : this.exchange(shares, free);
  }

  /** The same where queues have a rate: permits first, for no more than would be claimed, then the best that they allow. */
  private async claimRated(heads: readonly (readonly number[])[], shares: readonly ClaimShare[], free: number): Promise<Claimed[]> {
    const wanted = new Map<Queue, number>();
    for (const { shard, limit } of shares) {
      const queue = this.sources[shard]?.queue;
      if (queue !== undefined && this.rates.isLimited(queue)) wanted.set(queue, (wanted.get(queue) ?? 0) + limit);
    }
    const permits = await this.rates.take(wanted);
    const allowed = new Map([...permits].map(([queue, { count }]) => [queue as Queue | undefined, count]));
    const within = { groupOf: (shard: number) => this.sources[shard]?.queue, allowed };
    const permitted = divideWithin(heads, within, free, this.depth, this.turn);
    const claimed = permitted.length === 0 ? [] : await this.exchange(permitted, free);
    for (const [queue, permit] of permits) {
      const own = claimed.filter((share) => share.queue === queue);
      const count = (some: readonly Claimed[]): number => some.reduce((sum, { reply }) => sum + reply.tasks.length, 0);
      const failed = permitted.filter((share) => this.sources[share.shard]?.queue === queue && this.isFailing(share.shard));
      // Whether a claim that failed was carried out is not known, so what it asked for counts as spent.
      const unknown = failed.reduce((sum, share) => sum + share.limit, 0);
      this.rates.settle(queue, permit, {
        started: count(own) + unknown,
        late: count(own.filter(({ reply }) => reply.at > permit.until)),
      });
    }
    return claimed;
  }

  /** One round trip: these claims, and the heads as they are after them. */
  private async exchange(shares: readonly ClaimShare[], free: number): Promise<Claimed[]> {
    const chosen = shares.flatMap((share) => {
      const source = this.sources[share.shard];
      return source === undefined ? [] : [{ source, share }];
    });
    const depth = shares.length === 0 && this.wantedDepth !== null ? this.wantedDepth : peekDepth(this.sources.length, free, shares);
    this.wantedDepth = depth;
    const askedAt = this.clock.monotonic();
    const { generation } = this;
    const claimed = await this.withSlots(chosen, async (calls) => {
      const reads = this.sources.map(({ shard }) => ({ key: shard.keys.pending, count: depth }));
      this.missed = [];
      this.exchanging = true;
      const answer = await this.connection.roundTrip(calls, reads).finally(() => (this.exchanging = false));
      if (answer.heads instanceof Error) {
        // What was claimed is held, so it must be begun; the lines are read again next time.
        this.heads = null;
        if (calls.length === 0) throw answer.heads;
      } else this.heads = generation === this.generation ? withImproved(answer.heads.map(scoresOf), this.missed) : null;
      return answer.calls;
    });
    this.depth = depth;
    this.headsAskedAt = askedAt;
    return chosen.flatMap(({ source, share }, index) => {
      const words = claimed[index];
      if (words instanceof Error) {
        this.fail(share.shard, words);
        return [];
      }
      return words === undefined ? [] : [{ queue: source.queue, shard: source.shard, reply: parseClaim(words) }];
    });
  }

  /** Takes a request slot of each shard for as long as the round trip lasts. */
  private async withSlots(
    chosen: readonly { source: Source; share: ClaimShare }[],
    send: (calls: PreparedCall[]) => Promise<RoundTrip['calls']>,
    calls: PreparedCall[] = [],
  ): Promise<RoundTrip['calls']> {
    const next = chosen[calls.length];
    if (next === undefined) return send(calls);
    return next.source.slots.use(({ slot, requestId }) =>
      this.withSlots(chosen, send, [...calls, this.call(next.source, next.share, slot, requestId)]),
    );
  }

  private call({ queue, shard, slots }: Source, share: ClaimShare, slot: number, requestId: string): PreparedCall {
    return prepareCall(
      claimScript,
      { ...shard.keys, replay: replayKey(shard.keys.base, slots.client, slot) },
      {
        sequence_at: shard.sequenceAt,
        request_id: requestId,
        replay_ms: REPLAY_MS,
        worker: this.worker,
        lease_ms: queue.settings.leaseMs,
        limit: share.limit,
        bound: share.bound === null ? '' : String(share.bound),
        lock_keys: queue.layout.lockKeys ? 1 : 0,
        timeline_ms: timelineMs(queue.settings),
      },
    );
  }
}

/**
 * Heads of lines with those before them of which word came while the peek was under way. Where somebody has claimed such a task
 * meanwhile, a claim finds nothing and costs the round trip that another peek would have cost each time.
 */
function withImproved(heads: number[][], missed: readonly (readonly [source: number, score: number])[]): number[][] {
  for (const [source, score] of missed) {
    const scores = heads[source];
    if (scores !== undefined && (scores[0] === undefined || score < scores[0])) scores.unshift(score);
  }
  return heads;
}

/** Members and scores in turn → scores. */
function scoresOf(flat: readonly string[]): number[] {
  const scores: number[] = [];
  for (let at = 1; at < flat.length; at += 2) scores.push(Number(flat[at]));
  return scores;
}
