import { GalleyError } from '@galley/contract';

export interface TryOptions {
  /** How long the lock lives if it is not renewed, milliseconds; default 10,000. */
  readonly ttlMs?: number;
  /** Gives the attempt up. */
  readonly signal?: AbortSignal;
  /** Whether this `Locks` may take again what it holds already; every time must be released. Default false. */
  readonly reentrant?: boolean;
  /**
   * Whether it overtakes nobody who waits. Default false: whoever comes while the lock is free takes it, which is faster. A name is
   * served in order of arrival where all who use it ask for that.
   */
  readonly fair?: boolean;
}

export interface AcquireOptions extends TryOptions {
  /** How long to wait at most, milliseconds; default 30,000. `Infinity` waits until the signal ends it. */
  readonly waitMs?: number;
}

export const DEFAULT_TTL_MS = 10_000;
export const DEFAULT_WAIT_MS = 30_000;
const SHORTEST_TTL_MS = 20;
const LONGEST_TTL_MS = 86_400_000;
/** What setTimeout takes at most. */
export const LONGEST_TIMER_MS = 2_147_483_647;

const NAME = /^[\w.:/@+=-]{1,200}$/;

export function checkLockName(name: string): void {
  // A variable that was forgotten would be the lock "undefined", one for everybody.
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new GalleyError('invalid_request', `"${name}" cannot name a lock: use 1 to 200 letters, digits or _ . : / @ + = -`);
  }
}

export function checkHolder(holder: string): void {
  if (!NAME.test(holder)) {
    throw new GalleyError('invalid_request', `"${holder}" cannot name a holder: use 1 to 200 letters, digits or _ . : / @ + = -`);
  }
}

export function checkTtl(ttlMs: number): void {
  if (!Number.isInteger(ttlMs) || ttlMs < SHORTEST_TTL_MS || ttlMs > LONGEST_TTL_MS) {
    throw new GalleyError('invalid_request', `ttlMs is ${ttlMs}; it takes whole milliseconds from ${SHORTEST_TTL_MS} to ${LONGEST_TTL_MS}`);
  }
}

export function checkWait(waitMs: number): void {
  if (Number.isNaN(waitMs) || waitMs < 0) throw new GalleyError('invalid_request', `waitMs is ${waitMs}; it takes milliseconds from 0`);
}
