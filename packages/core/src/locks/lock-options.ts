import { GalleyError } from '@galley/contract';

export interface TryOptions {
  /** How long the lock lives if it is not renewed, whole milliseconds from 20 to 86,400,000 (a day); default 10,000. */
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
  /** How long to wait at most, whole milliseconds from 0; default 30,000. `Infinity` waits until the signal ends it. */
  readonly waitMs?: number;
}

export const DEFAULT_TTL_MS = 10_000;
export const DEFAULT_WAIT_MS = 30_000;
const SHORTEST_TTL_MS = 20;
const LONGEST_TTL_MS = 86_400_000;
/** What setTimeout takes at most. */
export const LONGEST_TIMER_MS = 2_147_483_647;
const MOST_LISTED = 10_000;

const ALLOWED = 'letters, digits or _ . : / @ + = -';
const NAME = /^[\w.:/@+=-]{1,200}$/;
const PATTERN = /^[\w.:/@+=*?-]{1,200}$/;

/** As it was handed in, and not so long that it hides the sentence. */
function shown(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function refuse(sentence: string): never {
  throw new GalleyError('invalid_request', sentence);
}

export function checkLockName(name: string): void {
  // A variable that was forgotten would be the lock "undefined", one for everybody.
  if (typeof name !== 'string' || !NAME.test(name)) refuse(`${shown(name)} cannot name a lock: use 1 to 200 ${ALLOWED}`);
}

export function checkHolder(holder: string): void {
  if (typeof holder !== 'string' || !NAME.test(holder)) refuse(`${shown(holder)} cannot name a holder: use 1 to 200 ${ALLOWED}`);
}

export function checkPattern(pattern: string): void {
  if (typeof pattern !== 'string' || !PATTERN.test(pattern)) {
    refuse(`${shown(pattern)} is no pattern of lock names: use 1 to 200 ${ALLOWED}, with * for any characters and ? for one`);
  }
}

export function checkListLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED)
    refuse(`limit is ${limit}; it takes whole numbers from 1 to ${MOST_LISTED}`);
}

export function checkTtl(ttlMs: number): void {
  if (!Number.isInteger(ttlMs) || ttlMs < SHORTEST_TTL_MS || ttlMs > LONGEST_TTL_MS) {
    refuse(`ttlMs is ${ttlMs}; it takes whole milliseconds from ${SHORTEST_TTL_MS} to ${LONGEST_TTL_MS}`);
  }
}

export function checkWait(waitMs: number): void {
  if (waitMs !== Number.POSITIVE_INFINITY && (!Number.isInteger(waitMs) || waitMs < 0 || waitMs > LONGEST_TIMER_MS)) {
    refuse(`waitMs is ${waitMs}; it takes whole milliseconds from 0 to ${LONGEST_TIMER_MS}, or Infinity`);
  }
}

/** A time in the options of a store. */
export function checkStoreTime(option: string, milliseconds: number): void {
  if (!Number.isInteger(milliseconds) || milliseconds < 1 || milliseconds > LONGEST_TTL_MS) {
    refuse(`${option} is ${milliseconds}; it takes whole milliseconds from 1 to ${LONGEST_TTL_MS}`);
  }
}
