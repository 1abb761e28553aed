import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { GalleyError } from '@galley/contract';
import { type Clock, systemClock } from '../clock.ts';
import { runRenewed } from './keep-renewed.ts';
import { Limit } from './limit.ts';
import { HeldLock, type Lock } from './lock.ts';
import { type LockObserver, type LockRefusal, silentLockObserver } from './lock-observer.ts';
import {
  type AcquireOptions,
  checkHolder,
  checkListLimit,
  checkLockName,
  checkPattern,
  checkTtl,
  checkWait,
  DEFAULT_TTL_MS,
  DEFAULT_WAIT_MS,
  type TryOptions,
} from './lock-options.ts';
import { acquireSet, type LockSet } from './lock-set.ts';
import type { LockAbilities, LockGrant, LockRequest, LockStore, LockView } from './lock-store.ts';

export interface LocksOptions {
  readonly store: LockStore;
  /** Who holds what is taken here; default host, process and a random part. Must be unique among those who exclude each other. */
  readonly holder?: string;
  readonly observer?: LockObserver;
  readonly clock?: Clock;
}

/** Two `Locks` may go by one name, in one process or in two; only reentrant acquisitions may be taken for each other's. */
const PROCESS = randomBytes(5).toString('hex');
let acquisitions = 0;

/** How long an attempt that waits for nobody gives a connection to come up, milliseconds. */
const CONNECT_MS = 1_000;

/** What runs under a lock gets it and its signal. */
export type UnderLock<Result> = (signal: AbortSignal, lock: Lock) => Promise<Result> | Result;

/** Locks by name for processes that share a store. */
export class Locks {
  readonly holder: string;
  readonly #store: LockStore;
  readonly #clock: Clock;
  readonly #observer: LockObserver;

  constructor(options: LocksOptions) {
    this.holder = options.holder ?? newLockHolder();
    checkHolder(this.holder);
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
    this.#observer = options.observer ?? silentLockObserver;
  }

  get abilities(): LockAbilities {
    return this.#store.abilities;
  }

  /** The same locks as another holder: reentrant acquisitions of one holder do not exclude each other. */
  as(holder: string): Locks {
    // One that was forgotten would be as good as a new one, and exclude whom it should not.
    checkHolder(holder);
    return new Locks({ store: this.#store, holder, observer: this.#observer, clock: this.#clock });
  }

  /**
   * Waits for the lock.
   * @throws GalleyError `lock_contention` after `waitMs`; the reason of `signal` when that is aborted
   */
  async acquire(name: string, options: AcquireOptions = {}): Promise<Lock> {
    const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
    checkWait(waitMs);
    const startedAt = this.#clock.monotonic();
    const request = this.#request(name, options);
    try {
      const lock = await (waitMs > 0 ? this.#wait(request, waitMs, options.signal) : this.#try(request, options.signal));
      if (lock === null) throw contention(name, waitMs);
      this.#observer.acquired({ name, waitedMs: this.#clock.monotonic() - startedAt, contended: lock.contended });
      return lock.held;
    } catch (error) {
      const reason = options.signal?.aborted === true ? 'aborted' : hasCode(error, 'lock_contention') ? 'timeout' : 'unreachable';
      this.#refuse(name, startedAt, reason);
      throw error;
    }
  }

  /**
   * The lock, or null where it is not to be had at once.
   * @throws GalleyError `lock_store_unavailable` when the store has not answered within the TTL; where its connection is not up, that is
   *   waited for before, for a second at most
   */
  async tryAcquire(name: string, options: TryOptions = {}): Promise<Lock | null> {
    const startedAt = this.#clock.monotonic();
    const request = this.#request(name, options);
    try {
      const lock = await this.#try(request, options.signal);
      if (lock === null) this.#refuse(name, startedAt, 'busy');
      else this.#observer.acquired({ name, waitedMs: this.#clock.monotonic() - startedAt, contended: false });
      return lock?.held ?? null;
    } catch (error) {
      this.#refuse(name, startedAt, options.signal?.aborted === true ? 'aborted' : 'unreachable');
      throw error;
    }
  }

  /**
   * Runs `fn` under the lock, renewing it at a third of its TTL, and always gives it back.
   * @throws GalleyError `lock_lost` when the lock was lost before `fn` had ended, whatever `fn` returned: what it wrote without
   *   its fence may have met another holder's. Errors of `fn` itself and those of `acquire` pass through.
   */
  async withLock<Result>(name: string, fn: UnderLock<Result>, options: AcquireOptions = {}): Promise<Result> {
    const lock = await this.acquire(name, options);
    return runRenewed(lock, options.ttlMs ?? DEFAULT_TTL_MS, (signal) => fn(signal, lock));
  }

  /**
   * All of these locks, taken in sorted order, so that two who want the same ones cannot wait for each other. Those already taken
   * are renewed while it waits for the next, and given back if it fails. `waitMs` is for all of them together.
   */
  acquireAll(names: readonly string[], options: AcquireOptions = {}): Promise<LockSet> {
    return acquireSet(this, names, options, this.#clock);
  }

  /** As `withLock`, under all of these locks. */
  async withLocks<Result>(
    names: readonly string[],
    fn: (signal: AbortSignal, locks: LockSet) => Promise<Result> | Result,
    options: AcquireOptions = {},
  ): Promise<Result> {
    const set = await this.acquireAll(names, options);
    return runRenewed(set, options.ttlMs ?? DEFAULT_TTL_MS, (signal) => fn(signal, set));
  }

  /** Who holds it, how often, with which fence, until when, and who waits. */
  async inspect(name: string): Promise<LockView> {
    checkLockName(name);
    return this.#store.inspect(name);
  }

  /** Locks that are held, by a pattern with `*` and `?`; at most `limit`, from 1 to 10,000. */
  async list(pattern = '*', limit = 1_000): Promise<LockView[]> {
    checkPattern(pattern);
    checkListLimit(limit);
    return this.#store.list(pattern, limit);
  }

  #request(name: string, options: TryOptions): LockRequest {
    checkLockName(name);
    const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
    checkTtl(ttlMs);
    options.signal?.throwIfAborted();
    // A holder of its own for each acquisition, unless it may take what it has.
    const holder = options.reentrant === true ? this.holder : `${this.holder}/${PROCESS}.${++acquisitions}`;
    return { name, holder, ttlMs, fair: options.fair === true };
  }

  async #try(request: LockRequest, outer: AbortSignal | undefined): Promise<Acquired | null> {
    const preparing = this.#store.prepare(request.name);
    // Before the attempt and not as a part of it: a TTL must not be used up by connecting.
    if (preparing !== null) await this.#ready(preparing, outer);
    const limit = new Limit(request.ttlMs, outer, () => this.#unreachable());
    try {
      const grant = await limit.race(this.#store.tryAcquire(request), (late) => this.#discard(late));
      if (grant === null) return null;
      const held = this.#hold(grant, request);
      if (!held.isStale) return { held, contended: false };
      this.#discard(grant);
      throw this.#unreachable();
    } finally {
      limit.end();
    }
  }

  async #ready(preparing: Promise<void>, outer: AbortSignal | undefined): Promise<void> {
    const limit = new Limit(CONNECT_MS, outer, () => this.#unreachable());
    try {
      await limit.race(preparing, () => undefined);
    } finally {
      limit.end();
    }
  }

  async #wait(request: LockRequest, waitMs: number, outer: AbortSignal | undefined): Promise<Acquired> {
    const limit = new Limit(waitMs, outer, () => contention(request.name, waitMs));
    try {
      const atOnce = await this.#first(request, limit);
      if (atOnce !== null) {
        const held = this.#hold(atOnce, request);
        if (!held.isStale) return { held, contended: false };
        // Granted so late that its TTL is over, as after a freeze of this process: wait again.
        this.#discard(atOnce);
      }
      for (;;) {
        const grant = await this.#store.acquire(request, limit.signal);
        const held = this.#hold(grant, request);
        if (!held.isStale) return { held, contended: true };
        this.#discard(grant);
      }
    } finally {
      limit.end();
    }
  }

  /** An attempt without a place in line. Null also where the store is away: waiting goes on until it is back or the limit comes. */
  #first(request: LockRequest, limit: Limit): Promise<LockGrant | null> {
    const attempt = (): Promise<LockGrant | null> => limit.race(this.#store.tryAcquire(request), (late) => this.#discard(late));
    const preparing = this.#store.prepare(request.name);
    const attempted = preparing === null ? attempt() : limit.race(preparing, () => undefined).then(attempt);
    return attempted.catch((error: unknown) => {
      if (hasCode(error, 'lock_store_unavailable')) return null;
      throw error;
    });
  }

  #hold(grant: LockGrant, { ttlMs }: LockRequest): HeldLock {
    return new HeldLock(grant, { store: this.#store, clock: this.#clock, observer: this.#observer, ttlMs });
  }

  /** Gives back a grant that nobody waits for any more. Should that fail, its TTL ends it. */
  #discard(grant: LockGrant | null): void {
    if (grant !== null) this.#store.release(grant).catch(() => undefined);
  }

  #refuse(name: string, startedAt: number, reason: LockRefusal): void {
    this.#observer.refused({ name, waitedMs: this.#clock.monotonic() - startedAt, reason });
  }

  #unreachable(): GalleyError {
    return new GalleyError('lock_store_unavailable', `${this.#store.title} did not answer in time; whether the lock is free is not known.`);
  }
}

interface Acquired {
  readonly held: HeldLock;
  readonly contended: boolean;
}

/** `<host>-<process id>-<random>`. */
export function newLockHolder(): string {
  const host = hostname()
    .replaceAll(/[^\w.-]/g, '-')
    .slice(0, 60);
  return `${host}-${process.pid}-${randomBytes(5).toString('hex')}`;
}

function contention(name: string, waitMs: number): GalleyError {
  return new GalleyError('lock_contention', `The lock "${name}" was not free within ${Math.round(waitMs)} ms.`);
}

function hasCode(error: unknown, code: GalleyError['code']): boolean {
  return error instanceof GalleyError && error.code === code;
}
