import { Cluster } from 'ioredis';
import { type Clock, systemClock } from '../../clock.ts';
import type { Connection } from '../../redis/connection.ts';
import { heldLockPrefix } from '../../redis/keys.ts';
import type { InspectedLock } from '../../scripts/locks/inspect.ts';
import type { LockAbilities, LockGrant, LockRequest, LockStore, LockView, ReleaseWord, RenewWord } from '../lock-store.ts';
import { Sleeper, unlessAborted } from '../sleep.ts';
import { LockServer, MOST_WAITERS } from './lock-server.ts';

export interface RedisLockStoreOptions {
  readonly clock?: Clock;
  /** How long a waiter that stands still keeps its place in line, and a dead one is waited for, milliseconds; default 3,000. */
  readonly aliveMs?: number;
}

/** Past this many keys looked at, `list` is content with what it has found. */
const SCAN_COUNT = 1_000;

/**
 * Locks in one Redis, a replicated one, or a cluster. Replication is asynchronous: a failover may forget a lock that was granted just
 * before it, and then two hold it. Their fences differ, and the younger's is higher as long as the new master's clock is not behind the
 * old one's by more than the failover took.
 */
export class RedisLockStore implements LockStore {
  readonly title = 'Redis';
  readonly abilities: LockAbilities = { risingFence: true, fair: true, sharedView: true, list: true, holderAcrossProcesses: true };
  readonly #server: LockServer;
  readonly #clock: Clock;

  /** The connection stays the caller's to close. */
  constructor(connection: Connection, options: RedisLockStoreOptions = {}) {
    this.#server = new LockServer(connection, options);
    this.#clock = options.clock ?? systemClock;
  }

  prepare(): Promise<void> | null {
    return this.#server.prepare();
  }

  tryAcquire(request: LockRequest): Promise<LockGrant | null> {
    const startedAt = this.#clock.monotonic();
    const { name, holder } = request;
    const id = this.#server.newId();
    return this.#server
      .take(request, id)
      .then((reply) => (reply.word === 'held' ? null : { name, holder, id, fence: reply.fence, count: reply.count, startedAt }));
  }

  async acquire(request: LockRequest, signal: AbortSignal): Promise<LockGrant> {
    const id = this.#server.newId();
    const sleeper = new Sleeper();
    const listening = this.#server.listen(id, sleeper.wake);
    let mayBeInLine = false;
    try {
      await unlessAborted(listening, signal);
      let ticket = '';
      for (;;) {
        signal.throwIfAborted();
        const startedAt = this.#clock.monotonic();
        mayBeInLine = true;
        const reply = await unlessAborted(this.#server.wait(request, id, ticket), signal);
        if (reply.word === 'granted') {
          return { name: request.name, holder: request.holder, id, fence: reply.fence, count: reply.count, startedAt };
        }
        ticket = reply.ticket;
        await sleeper.sleep(this.#server.nextTryMs(reply.leftMs, request.ttlMs), signal);
      }
    } catch (error) {
      // On the same connection, so behind whatever is still under way.
      if (mayBeInLine) await this.#leave(request.name, id);
      throw error;
    } finally {
      listening.then((stop) => stop()).catch(() => undefined);
    }
  }

  renew(grant: LockGrant, ttlMs: number): Promise<RenewWord> {
    return this.#server.renew(grant.name, grant.id, ttlMs);
  }

  release(grant: LockGrant): Promise<ReleaseWord> {
    const { name, id, fence, holder, count } = grant;
    return this.#server.release(name, id, count === 1 ? `${fence} ${holder} ${id}` : '');
  }

  async inspect(name: string): Promise<LockView> {
    return viewOf(name, await this.#server.inspect(name), this.#clock);
  }

  async list(pattern: string, limit: number): Promise<LockView[]> {
    const names = await heldNames(this.#server.connection, pattern, limit);
    const views = await Promise.all(names.map((name) => this.inspect(name)));
    return views.filter((view) => view.held);
  }

  close(): Promise<void> {
    this.#server.close();
    return Promise.resolve();
  }

  /** Waited for only while Redis answers: when it is away, what is left behind is sent when it is back, and has a TTL anyway. */
  async #leave(name: string, id: string): Promise<void> {
    const left = this.#server.leave(name, id).catch(() => undefined);
    if (this.#server.connection.isUp()) await left;
  }
}

export function viewOf(name: string, { held, inLine, waiters }: InspectedLock, clock: Clock): LockView {
  return {
    name,
    held: held !== null,
    holder: held?.holder ?? null,
    count: held?.count ?? null,
    fence: held?.fence ?? null,
    expiresAt: held === null ? null : clock.now() + held.leftMs,
    // The dead are left out of those that were read; of more than that it is not known.
    waiting: inLine > MOST_WAITERS ? inLine : waiters.length,
    waiters: waiters.map(({ holder, sinceMs, fair }) => ({ holder, since: sinceMs, fair })),
  };
}

/** Sorted names of held locks that match, from every master. */
export async function heldNames({ client }: Connection, pattern: string, limit: number): Promise<string[]> {
  const names = new Set<string>();
  for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', `${heldLockPrefix}{${pattern}}`, 'COUNT', SCAN_COUNT);
      for (const key of keys) names.add(key.slice(heldLockPrefix.length + 1, -1));
      cursor = next;
    } while (cursor !== '0' && names.size < limit);
  }
  return [...names].toSorted().slice(0, limit);
}
