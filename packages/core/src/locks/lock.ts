import { GalleyError } from '@galley/contract';
import type { Clock } from '../clock.ts';
import { deadlines } from './deadlines.ts';
import type { LockObserver } from './lock-observer.ts';
import { checkTtl, LONGEST_TIMER_MS } from './lock-options.ts';
import type { LockGrant, LockStore, ReleaseWord, RenewWord } from './lock-store.ts';

/** A lock that is held, until `release` or the end of its TTL. */
export interface Lock {
  readonly name: string;
  readonly holder: string;
  /** Hand it to whatever you write to, which refuses a fence below the highest it has seen. Null where the store has none. */
  readonly fence: number | null;
  /** How many times its holder had it when this was granted; 1 unless reentrant. */
  readonly count: number;
  /** Until when this holder may trust it, milliseconds since the epoch: a little before the store lets go. */
  readonly expiresAt: number;
  /** Fires when the lock is lost: not renewed in time, or taken away. Its reason is a GalleyError `lock_lost`. */
  readonly signal: AbortSignal;
  /**
   * Holds it for another TTL from now, the acquisition's own unless another is given; a shorter one is in force at once, except where its
   * holder has the lock more than once. Other answers than `renewed` mean that it is lost.
   */
  renew(ttlMs?: number): Promise<RenewWord>;
  /** Gives it back; answers at the latest when the TTL is over. Called again it repeats its answer. */
  release(): Promise<ReleaseWord>;
}

/** For clocks that run apart, and for the way of an answer. */
export function trustedMs(ttlMs: number): number {
  return ttlMs - 2 - Math.ceil(ttlMs / 100);
}

/** The promise's value, or `otherwise` after so many milliseconds. */
function within<Value>(promise: Promise<Value>, milliseconds: number, otherwise: Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.add(milliseconds, () => resolve(otherwise));
    promise.then(
      (value) => {
        deadlines.remove(deadline);
        resolve(value);
      },
      (error: unknown) => {
        deadlines.remove(deadline);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

export interface HeldLockOptions {
  readonly store: LockStore;
  readonly clock: Clock;
  readonly observer: LockObserver;
  readonly ttlMs: number;
}

/** held → released | lost. `#end` is its one setter; a lost lock is still given back, in case the store kept it. */
export class HeldLock implements Lock {
  readonly name: string;
  readonly holder: string;
  readonly fence: number | null;
  readonly count: number;
  readonly #grant: LockGrant;
  readonly #options: HeldLockOptions;
  readonly #grantedAt: number;
  #trustedUntil: number;
  #renewals = 0;
  #state: 'held' | 'released' | 'lost' = 'held';
  // Most locks are given back before anybody asks for their signal, so neither it nor a timer is made before.
  #controller: AbortController | null = null;
  #timer: NodeJS.Timeout | undefined;
  #releasing: Promise<ReleaseWord> | null = null;

  constructor(grant: LockGrant, options: HeldLockOptions) {
    this.name = grant.name;
    this.holder = grant.holder;
    this.fence = grant.fence;
    this.count = grant.count;
    this.#grant = grant;
    this.#options = options;
    this.#grantedAt = options.clock.monotonic();
    this.#trustedUntil = grant.startedAt + trustedMs(options.ttlMs);
    grant.lost?.addEventListener('abort', this.#onLost, { once: true });
  }

  /** Whether the grant came too late to be of use. */
  get isStale(): boolean {
    return this.#options.clock.monotonic() >= this.#trustedUntil || this.#grant.lost?.aborted === true;
  }

  get expiresAt(): number {
    const { clock } = this.#options;
    return Math.floor(clock.now() + this.#trustedUntil - clock.monotonic());
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#state === 'lost' || this.#grant.lost?.aborted === true) this.#onLost();
      else this.#watch();
    } else if (this.#state === 'held' && this.isStale) {
      // After a standstill of this process its timers are late; who asks now must not be told that all is well.
      this.#onLost();
    }
    return this.#controller.signal;
  }

  async renew(ttlMs: number = this.#options.ttlMs): Promise<RenewWord> {
    checkTtl(ttlMs);
    // What was given up is not taken up again, even where the store still has it.
    if (this.#state !== 'held') return (await this.release()) === 'taken' ? 'taken' : 'expired';
    const { clock, store } = this.#options;
    const trustedUntil = clock.monotonic() + trustedMs(ttlMs);
    const attempt = ++this.#renewals;
    // A shorter TTL may be in force as soon as it is asked for, whether or not the answer comes.
    if (trustedUntil < this.#trustedUntil) this.#trust(trustedUntil);
    const word = await within(store.renew(this.#grant, ttlMs), ttlMs, 'expired');
    if (word === 'renewed' && this.#state === 'held') {
      // Where another was sent behind this one, that one's TTL is in force.
      if (attempt === this.#renewals) this.#trust(trustedUntil);
      return word;
    }
    this.#onLost();
    // Renewed in the store and given up here meanwhile.
    return word === 'renewed' ? 'expired' : word;
  }

  release(): Promise<ReleaseWord> {
    return (this.#releasing ??= this.#giveBack());
  }

  async #giveBack(): Promise<ReleaseWord> {
    // An answer later than the TTL says nothing any more: by then the store has let go by itself.
    const word = await within(this.#options.store.release(this.#grant), this.#options.ttlMs, 'expired');
    if (word === 'released' || word === 'kept') this.#end('released');
    else this.#end('lost');
    return word;
  }

  #trust(until: number): void {
    this.#trustedUntil = until;
    if (this.#controller !== null) this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'held') return;
    const left = this.#trustedUntil - this.#options.clock.monotonic();
    if (left <= 0) this.#onLost();
    else this.#timer = setTimeout(() => this.#watch(), Math.min(Math.ceil(left), LONGEST_TIMER_MS)).unref();
  }

  readonly #onLost = (): void => {
    if (this.#releasing === null) this.#end('lost');
    if (this.#state === 'lost')
      this.#controller?.abort(new GalleyError('lock_lost', `The lock "${this.name}" was lost while it was held.`));
  };

  #end(state: 'released' | 'lost'): void {
    if (this.#state !== 'held') return;
    this.#state = state;
    clearTimeout(this.#timer);
    this.#grant.lost?.removeEventListener('abort', this.#onLost);
    const event = { name: this.name, heldMs: this.#options.clock.monotonic() - this.#grantedAt };
    if (state === 'released') this.#options.observer.released(event);
    else {
      this.#options.observer.lost(event);
      this.#onLost();
    }
  }
}
