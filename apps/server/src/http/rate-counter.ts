import type { Connection } from '@galley/core';
import * as z from 'zod/mini';
import { rateKey } from '../redis/keys.ts';
import type { RedisWatch } from '../redis/redis-watch.ts';

/** Requests that this process may count by itself before it asks Redis again. */
interface Block {
  /** Requests counted so far, over all servers, as far as this one knows. */
  counted: number;
  readonly end: number;
  readonly resetAt: number;
}

/** How often a caller has come within the window, this time included, and when the next window begins. */
export interface Counted {
  readonly count: number;
  readonly resetInMs: number;
}

const CALLERS_KEPT = 10_000;
const replySchema = z.tuple([z.tuple([z.null(), z.int()]), z.unknown(), z.tuple([z.null(), z.int()])]);

export interface RateCounterOptions {
  readonly connection: Connection;
  readonly redis: RedisWatch;
  /** Requests in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Counts requests by caller (an address, or `user:<id>`) in Redis, for all servers together. A server takes a hundredth of the limit at a time, so that most requests
 * cost Redis nothing; by so much per server a count may be too high. While Redis is away each server counts by itself.
 */
export class RateCounter {
  private readonly options: RateCounterOptions;
  private readonly now: () => number;
  private readonly step: number;
  private readonly blocks = new Map<string, Block>();
  private readonly reserving = new Map<string, Promise<void>>();

  constructor(options: RateCounterOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.step = Math.max(1, Math.min(1_000, Math.floor(options.limit / 100)));
  }

  /** Counts a request; a promise only where Redis has to be asked. */
  count(caller: string): Counted | Promise<Counted> {
    const block = this.blocks.get(caller);
    const now = this.now();
    if (block === undefined || block.counted >= block.end || now >= block.resetAt)
      return this.reserve(caller).then(() => this.count(caller));
    block.counted++;
    return { count: block.counted, resetInMs: block.resetAt - now };
  }

  /** Requests that come while a block is on its way wait for that one. */
  private reserve(caller: string): Promise<void> {
    const known = this.reserving.get(caller);
    if (known !== undefined) return known;
    const reserving = this.take(caller)
      .then((block) => {
        this.blocks.delete(caller);
        this.blocks.set(caller, block);
        this.forgetOldest();
      })
      .finally(() => this.reserving.delete(caller));
    this.reserving.set(caller, reserving);
    return reserving;
  }

  private async take(caller: string): Promise<Block> {
    const { redis, windowMs } = this.options;
    if (redis.isUp()) {
      const reply = await redis.during(() => this.ask(caller)).catch(() => null);
      if (reply !== null) return reply;
    }
    const last = this.blocks.get(caller);
    const now = this.now();
    // What was counted before Redis went still counts.
    if (last === undefined || last.resetAt <= now) return { counted: 0, end: this.step, resetAt: now + windowMs };
    return { ...last, end: last.end + this.step };
  }

  private async ask(caller: string): Promise<Block> {
    const { connection, windowMs } = this.options;
    const key = rateKey(caller);
    const replies: unknown = await connection.client.pipeline().incrby(key, this.step).pexpire(key, windowMs, 'NX').pttl(key).exec();
    const [[, end], , [, ttl]] = replySchema.parse(replies);
    return { counted: end - this.step, end, resetAt: this.now() + Math.max(1, ttl) };
  }

  /** Map keeps the order of insertion, so the first is the one that was asked for longest ago. */
  private forgetOldest(): void {
    while (this.blocks.size > CALLERS_KEPT) {
      const [oldest] = this.blocks.keys();
      if (oldest === undefined) return;
      this.blocks.delete(oldest);
    }
  }
}
