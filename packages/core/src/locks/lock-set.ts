import { GalleyError } from '@galley/contract';
import { type Clock, systemClock } from '../clock.ts';
import { keepRenewed, type Renewable } from './keep-renewed.ts';
import type { Lock } from './lock.ts';
import { type AcquireOptions, checkTtl, checkWait, DEFAULT_TTL_MS, DEFAULT_WAIT_MS } from './lock-options.ts';
import type { ReleaseWord, RenewWord } from './lock-store.ts';

/** Several locks held at once. */
export interface LockSet extends Renewable {
  /** In sorted order of their names. */
  readonly locks: readonly Lock[];
  /** Fires when any of them is lost. */
  readonly signal: AbortSignal;
  /** The word of the first that is lost, or `renewed`. */
  renew(ttlMs?: number): Promise<RenewWord>;
  /** Gives all back, last first; the word of the first that was lost, or `released`. */
  release(): Promise<ReleaseWord>;
}

interface Acquirer {
  acquire(name: string, options: AcquireOptions): Promise<Lock>;
}

/** See `Locks.acquireAll`. */
export async function acquireSet(
  locks: Acquirer,
  names: readonly string[],
  options: AcquireOptions,
  clock: Clock = systemClock,
): Promise<LockSet> {
  if (names.length === 0) throw new GalleyError('invalid_request', 'acquireAll needs at least one name');
  const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
  const waitMs = options.waitMs ?? DEFAULT_WAIT_MS;
  checkTtl(ttlMs);
  checkWait(waitMs);
  const deadline = clock.monotonic() + waitMs;
  const held: Lock[] = [];
  const stops: (() => void)[] = [];
  try {
    for (const name of [...new Set(names)].toSorted()) {
      const lock = await locks.acquire(name, {
        ...options,
        waitMs: waitMs === Number.POSITIVE_INFINITY ? waitMs : Math.max(0, Math.ceil(deadline - clock.monotonic())),
      });
      held.push(lock);
      stops.push(keepRenewed(lock, ttlMs));
    }
    const set = new HeldSet(held);
    // What ran out while others were waited for is not handed over as held.
    set.signal.throwIfAborted();
    return set;
  } catch (error) {
    await Promise.allSettled(held.toReversed().map((lock) => lock.release()));
    throw error;
  } finally {
    for (const stop of stops) stop();
  }
}

class HeldSet implements LockSet {
  readonly locks: readonly Lock[];
  readonly signal: AbortSignal;

  constructor(locks: readonly Lock[]) {
    this.locks = locks;
    this.signal = AbortSignal.any(locks.map((lock) => lock.signal));
  }

  async renew(ttlMs?: number): Promise<RenewWord> {
    const words = await Promise.all(this.locks.map((lock) => lock.renew(ttlMs)));
    return words.find((word) => word !== 'renewed') ?? 'renewed';
  }

  async release(): Promise<ReleaseWord> {
    const words = await Promise.all(this.locks.toReversed().map((lock) => lock.release()));
    return words.find((word) => word === 'expired' || word === 'taken') ?? 'released';
  }
}
