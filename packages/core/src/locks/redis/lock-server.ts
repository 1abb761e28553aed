import { randomBytes } from 'node:crypto';
import type { Connection, RedisClient } from '../../redis/connection.ts';
import { lockKeys, lockWakePrefix } from '../../redis/keys.ts';
import { type AcquireLockReply, acquireLockScript, parseAcquireLock } from '../../scripts/locks/acquire.ts';
import { type InspectedLock, inspectLockScript, parseInspectLock } from '../../scripts/locks/inspect.ts';
import { parseReleaseLock, releaseLockScript } from '../../scripts/locks/release.ts';
import { parseRenewLock, renewLockScript } from '../../scripts/locks/renew.ts';
import type { LockRequest, ReleaseWord, RenewWord } from '../lock-store.ts';

/** How long a waiter that says nothing keeps its place: so long may a process stand still, and no longer is a dead one waited for. */
const ALIVE_MS = 3_000;
/** How often a waiter says that it lives. It tries again with it, so a wake-up that was lost costs this at most. */
export const HEARTBEAT_MS = 1_000;
/** How long the last fence of an idle lock is remembered; after that the clock alone keeps fences rising. */
const FENCE_MS = 86_400_000;
/** How many of a line `inspect` reads. */
export const MOST_WAITERS = 1_000;

/** The locks of one Redis (or cluster): each verb one script, and wake-ups over one channel for this process. */
export class LockServer {
  readonly connection: Connection;
  readonly #process: string;
  readonly #sleepers = new Map<string, () => void>();
  #acquisitions = 0;
  #subscriber: RedisClient | null = null;
  #subscribed: Promise<void> | null = null;

  /** `process`: what the ids of this process begin with, and what its channel is named by. */
  constructor(connection: Connection, process = randomBytes(8).toString('hex')) {
    this.connection = connection;
    this.#process = process;
  }

  newId(): string {
    return `${this.#process}.${(++this.#acquisitions).toString(36)}`;
  }

  /** `place`: null only tries; otherwise it waits in line, in the place of an earlier answer's ticket where there is one. */
  async acquire(request: LockRequest, id: string, place: { readonly ticket: string } | null): Promise<AcquireLockReply> {
    return parseAcquireLock(
      await this.connection.run(acquireLockScript, lockKeys(request.name), {
        id,
        holder: request.holder,
        ttl_ms: request.ttlMs,
        manner: request.fair ? 'f' : 'b',
        join: place === null ? 0 : 1,
        ticket: place?.ticket ?? '',
        alive_ms: ALIVE_MS,
        fence_ms: FENCE_MS,
        wake_prefix: lockWakePrefix,
      }),
    );
  }

  /** `waiting`: also leaves the line. */
  async release(name: string, id: string, waiting: boolean): Promise<ReleaseWord> {
    const values = { id, waiting: waiting ? 1 : 0, wake_prefix: lockWakePrefix };
    return parseReleaseLock(await this.connection.run(releaseLockScript, lockKeys(name), values));
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
