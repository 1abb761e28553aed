import type { Clock } from '../../clock.ts';
import type { InspectedLock } from '../../scripts/locks/inspect.ts';
import type { LockView } from '../lock-store.ts';
import { viewOf } from './redis-lock-store.ts';

/** What several servers say of a lock, as one: held by whoever holds it on a majority of them. */
export function majorityView(name: string, seen: readonly InspectedLock[], quorum: number, clock: Clock): LockView {
  const longestLine = seen.toSorted((a, b) => b.waiters.length - a.waiters.length)[0];
  const line = longestLine === undefined ? { waiting: 0, waiters: [] } : viewOf(name, longestLine, clock);
  const free = { held: false, holder: null, count: null, fence: null, expiresAt: null };
  const view = { name, ...free, waiting: line.waiting, waiters: line.waiters };
  const holders = new Set(seen.flatMap(({ held }) => (held === null ? [] : [held.holder])));
  for (const holder of holders) {
    const grants = seen.flatMap(({ held }) => (held?.holder === holder ? [held] : []));
    if (grants.length < quorum) continue;
    // The majority ends with the grant that is the quorum's last.
    const lefts = grants.map((grant) => grant.leftMs).toSorted((a, b) => b - a);
    const expiresAt = clock.now() + (lefts[quorum - 1] ?? 0);
    return { ...view, held: true, holder, count: Math.max(...grants.map((grant) => grant.count)), expiresAt };
  }
  return view;
}
