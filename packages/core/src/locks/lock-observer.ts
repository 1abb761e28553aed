/** Hooks for metrics; a lock's name is handed in so that they can group by it. All of them must return at once and not throw. */
export interface LockObserver {
  /** `contended`: it was not to be had at once. `waitedMs` runs from the call to the grant. */
  acquired(event: { readonly name: string; readonly waitedMs: number; readonly contended: boolean }): void;
  /** `busy`: only tried. `timeout`, `aborted`: waited in vain. `unreachable`: the store did not answer. */
  refused(event: { readonly name: string; readonly waitedMs: number; readonly reason: LockRefusal }): void;
  /** Given back by its holder. */
  released(event: { readonly name: string; readonly heldMs: number }): void;
  /** Ended before it was given back: its holder was too slow, was cut off, or somebody else has it. Once for each acquisition. */
  lost(event: { readonly name: string; readonly heldMs: number }): void;
}

export type LockRefusal = 'busy' | 'timeout' | 'aborted' | 'unreachable';

export const silentLockObserver: LockObserver = { acquired: () => {}, refused: () => {}, released: () => {}, lost: () => {} };
