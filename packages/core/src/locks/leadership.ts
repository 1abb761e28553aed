import type { Lock } from './lock.ts';
import type { Locks } from './locks.ts';

/**
 * One process among many that do the same: for work that does no harm when it is done twice, but is wasted. A leader that stands still
 * or is cut off is followed by another when the TTL is over; meanwhile two may believe that they lead.
 */
export class Leadership {
  readonly #locks: Locks;
  readonly #name: string;
  readonly #ttlMs: number;
  #lock: Lock | null = null;

  constructor(locks: Locks, name: string, ttlMs: number) {
    this.#locks = locks;
    this.#name = name;
    this.#ttlMs = ttlMs;
  }

  /** Takes the lead if nobody has it, and keeps it for another TTL; to be asked more often than that. */
  async isMine(): Promise<boolean> {
    const held = this.#lock;
    if (held !== null && (await held.renew()) === 'renewed') return true;
    this.#lock = null;
    this.#lock = await this.#locks.tryAcquire(this.#name, { ttlMs: this.#ttlMs });
    return this.#lock !== null;
  }

  /** Hands the lead to whoever asks next. */
  async resign(): Promise<void> {
    const lock = this.#lock;
    this.#lock = null;
    await lock?.release();
  }
}
