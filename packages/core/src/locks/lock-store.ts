/**
 * What a store of locks does. `Locks` stands on it and adds what is the same everywhere: options, trust, renewal, hooks.
 *
 * The rules of trust:
 * - The store alone says who holds. A holder trusts its lock a little less long than the store keeps it: until the start of its
 *   last answered attempt, plus the TTL, less a margin for clocks that run apart.
 * - A holder that was frozen past its TTL does not know that it has lost the lock until it looks. What protects the data then is
 *   the fence: the resource remembers the highest it has seen and refuses a lower one.
 */
export interface LockStore {
  /** A few words for messages, such as `Redis`. */
  readonly title: string;
  readonly abilities: LockAbilities;
  /**
   * Makes the store ready for attempts on this name: connected, with whatever the name needs. Null where it is so already; the promise
   * may also reject with `lock_store_unavailable`. What it takes is no part of a lock's TTL.
   */
  prepare(name: string): Promise<void> | null;
  /** The answer at once; null where somebody else holds it or is in turn. Rejects where the store cannot be reached. */
  tryAcquire(request: LockRequest): Promise<LockGrant | null>;
  /**
   * Waits in line until the lock is granted. Aborting rejects with the signal's reason, and leaves nothing behind: neither a place
   * in line nor a lock that was granted meanwhile.
   */
  acquire(request: LockRequest, signal: AbortSignal): Promise<LockGrant>;
  renew(grant: LockGrant, ttlMs: number): Promise<RenewWord>;
  /** Also cleans up after an attempt whose answer never came. */
  release(grant: LockGrant): Promise<ReleaseWord>;
  inspect(name: string): Promise<LockView>;
  /** Locks that are held and whose names match a pattern with `*` and `?`; at most `limit`. */
  list(pattern: string, limit: number): Promise<LockView[]>;
  /** Ends waiting and closes what the store opened itself. Locks that are still held run into their TTL. */
  close(): Promise<void>;
}

/** What a store cannot do, it says here, and the conformance suite holds it to that. */
export interface LockAbilities {
  /** Every grant has a fence above all before it, over holders and restarts. */
  readonly risingFence: boolean;
  /** Waiters that ask for it are served in order of arrival. */
  readonly fair: boolean;
  /** `inspect` sees holder, count and waiters of other processes too. */
  readonly sharedView: boolean;
  /** `list` works. */
  readonly list: boolean;
  /** A holder's name is recognised in other processes, so that it may take its lock again from there. */
  readonly holderAcrossProcesses: boolean;
}

export interface LockRequest {
  readonly name: string;
  /** Without spaces. Whoever holds the lock under this name takes it once more instead of waiting. */
  readonly holder: string;
  readonly ttlMs: number;
  readonly fair: boolean;
}

export interface LockGrant {
  readonly name: string;
  readonly holder: string;
  /** Of this acquisition alone. */
  readonly id: string;
  /** Null where the store has none (`risingFence`). */
  readonly fence: number | null;
  /** How many times the holder has it now. */
  readonly count: number;
  /** On the monotonic clock, when the attempt that was granted began. */
  readonly startedAt: number;
  /** Fires when the store notices by itself that the lock is lost. */
  readonly lost?: AbortSignal;
}

/** `expired`: nobody holds it. `taken`: somebody else does. */
export type RenewWord = 'renewed' | 'expired' | 'taken';

/** `kept`: the holder has taken it more than once and still has it. */
export type ReleaseWord = 'released' | 'kept' | 'expired' | 'taken';

export interface LockWaiter {
  readonly holder: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly since: number;
  readonly fair: boolean;
}

export interface LockView {
  readonly name: string;
  readonly held: boolean;
  /** Null where nobody holds it, or the store does not know (`sharedView`); likewise below. */
  readonly holder: string | null;
  readonly count: number | null;
  readonly fence: number | null;
  /** Milliseconds since the epoch at which it ends if it is not renewed. */
  readonly expiresAt: number | null;
  /** How many wait. */
  readonly waiting: number;
  /** The first of them, in order. */
  readonly waiters: readonly LockWaiter[] | null;
}
