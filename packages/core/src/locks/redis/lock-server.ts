import { randomBytes } from 'node:crypto';
import type { Connection, RedisClient } from '../../redis/connection.ts';
import { lockKeys, lockWakePrefix } from '../../redis/keys.ts';
import { type AcquireLockReply, acquireLockScript, parseAcquireLock } from '../../scripts/locks/acquire.ts';
import { type InspectedLock, inspectLockScript, parseInspectLock } from '../../scripts/locks/inspect.ts';
import { parseReleaseLock, releaseLockScript } from '../../scripts/locks/release.ts';
import { parseRenewLock, renewLockScript } from '../../scripts/locks/renew.ts';
import { takeLockScript } from '../../scripts/locks/take.ts';
import { checkStoreTime } from '../lock-options.ts';
import type { LockRequest, ReleaseWord, RenewWord } from '../lock-store.ts';

/** How long a waiter that says nothing keeps its place: so long may a process stand still, and no longer is a dead one waited for. */
const ALIVE_MS = 3_000;
/** How many of a line `inspect` reads. */
export const MOST_WAITERS = 1_000;

export interface LockServerOptions {
  /** What the ids of this process begin with, and what its channel is named by. */
  readonly process?: string;
  /** How long a waiter that says nothing keeps its place, milliseconds; default 3,000. */
  readonly aliveMs?: number;
}

/** The locks of one Redis (or cluster): each verb one script, and wake-ups over one channel for this process. */
export class LockServer {
  readonly connection: Connection;
  readonly #process: string;
  readonly #aliveMs: number;
  readonly #sleepers = new Map<string, () => void>();
  #acquisitions = 0;
  #subscriber: RedisClient | null = null;
  #subscribed: Promise<void> | null = null;
  #preparing: Promise<void> | null = null;
  #isLoaded = false;

  constructor(connection: Connection, options: LockServerOptions = {}) {
    this.connection = connection;
    this.#process = options.process ?? randomBytes(8).toString('hex');
    this.#aliveMs = options.aliveMs ?? ALIVE_MS;
    checkStoreTime('aliveMs', this.#aliveMs);
  }

  /** Connects and loads what the first attempt would load otherwise. Null where that is done and the connection is up. */
  prepare(): Promise<void> | null {
    if (this.#isLoaded && this.connection.isUp()) return null;
    return (this.#preparing ??= this.#prepare());
  }

  /**
   * When a waiter that nobody wakes looks again: when the holder's TTL ends, and not later than its own sign of life is due. So a
   * wake-up that was lost costs a third of `aliveMs` at most.
   */
  nextTryMs(leftMs: number, ownTtlMs: number): number {
    const heartbeatMs = Math.min(this.#aliveMs / 3, ownTtlMs);
    return leftMs > 0 ? Math.min(leftMs + 1, heartbeatMs) : heartbeatMs;
  }

  newId(): string {
    return `${this.#process}.${(++this.#acquisitions).toString(36)}`;
  }

  /** If it is free, without a place in line. A fair request does not overtake those who wait; any other may. */
  take({ name, holder, ttlMs, fair }: LockRequest, id: string): Promise<AcquireLockReply> {
    if (fair) return this.#acquire({ name, holder, ttlMs, fair }, id, { join: 0, ticket: '' });
    return this.connection.run(takeLockScript, lockKeys(name), { owner: `${holder} ${id}`, ttl_ms: ttlMs }).then(parseAcquireLock);
  }

  /** Takes it or waits in line, in the place of an earlier answer's ticket where there is one. */
  wait(request: LockRequest, id: string, ticket: string): Promise<AcquireLockReply> {
    return this.#acquire(request, id, { join: 1, ticket });
  }

  /** `alone`: the lock's value, where it is known as that of an only acquisition. */
  release(name: string, id: string, alone = ''): Promise<ReleaseWord> {
    return this.#release(name, { id, alone, waiting: '0' });
  }

  /** Also leaves the line. */
  leave(name: string, id: string): Promise<ReleaseWord> {
    return this.#release(name, { id, alone: '', waiting: '1' });
  }

  async renew(name: string, id: string, ttlMs: number): Promise<RenewWord> {
    return parseRenewLock(await this.connection.run(renewLockScript, lockKeys(name), { id, ttl_ms: ttlMs }));
  }

  async inspect(name: string): Promise<InspectedLock> {
    return parseInspectLock(await this.connection.run(inspectLockScript, lockKeys(name), { limit: MOST_WAITERS }));
  }

  /** `wake` is called whenever it may be the turn of this acquisition. Resolves once no wake-up can be missed; returns how to stop. */
  async listen(id: string, wake: () => void): Promise<() => void> {
    this.#sleepers.set(id, wake);
    try {
      await (this.#subscribed ??= this.#subscribe());
    } catch (error) {
      this.#sleepers.delete(id);
      this.#subscribed = null;
      throw error;
    }
    return () => this.#sleepers.delete(id);
  }

  close(): void {
    this.#subscriber?.disconnect();
    this.#subscriber = null;
  }

  async #acquire(request: LockRequest, id: string, place: { readonly join: number; readonly ticket: string }): Promise<AcquireLockReply> {
    const { name, holder, ttlMs, fair } = request;
    const own = { id, holder, ttl_ms: ttlMs, manner: fair ? 'f' : 'b' };
    const values = { ...own, ...place, alive_ms: this.#aliveMs, wake_prefix: lockWakePrefix };
    return parseAcquireLock(await this.connection.run(acquireLockScript, lockKeys(name), values));
  }

  #release(name: string, { id, alone, waiting }: { id: string; alone: string; waiting: string }): Promise<ReleaseWord> {
    const values = { id, alone, waiting, wake_prefix: lockWakePrefix };
    return this.connection.run(releaseLockScript, lockKeys(name), values).then(parseReleaseLock);
  }

  async #prepare(): Promise<void> {
    try {
      // Waits for the connection. A script of another node of a cluster is loaded by its first call, as after a lost script cache.
      for (const script of [takeLockScript, releaseLockScript]) await this.connection.client.call('script', 'LOAD', script.source);
      this.#isLoaded = true;
    } finally {
      this.#preparing = null;
    }
  }

  async #subscribe(): Promise<void> {
    const subscriber = this.connection.subscriber();
    this.#subscriber = subscriber;
    subscriber.on('message', (_channel: string, id: string) => this.#sleepers.get(id)?.());
    // What was published while the connection was away is lost.
    subscriber.on('ready', () => {
      for (const wake of this.#sleepers.values()) wake();
    });
    await subscriber.subscribe(lockWakePrefix + this.#process);
  }
}
