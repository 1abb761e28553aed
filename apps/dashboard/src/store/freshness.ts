/**
 * How much of what the page shows is still true (design §4, Connection pill).
 *   - `connecting`: nothing has come yet
 *   - `live`: the last snapshot is younger than 3 s
 *   - `late`: 3 s without one; the pill turns
 *   - `lost`: 8 s without one; the numbers turn grey and the banner says why
 */
export type Freshness = 'connecting' | 'live' | 'late' | 'lost';

export const LATE_AFTER_MS = 3_000;
export const LOST_AFTER_MS = 8_000;

/** `since`: when the last snapshot came, or null and then when the page began to wait; both by this browser's clock. */
export function freshnessOf(lastSnapshotAt: number | null, startedAt: number, now: number): Freshness {
  const silent = now - (lastSnapshotAt ?? startedAt);
  if (silent >= LOST_AFTER_MS) return 'lost';
  if (lastSnapshotAt === null) return 'connecting';
  return silent >= LATE_AFTER_MS ? 'late' : 'live';
}

/** A measured offset is late by the time the snapshot travelled, so small differences are noise and would make ages jitter. */
const OFFSET_NOISE_MS = 250;

/** Server time minus browser time, ms. Keeps the known offset unless the new one differs by more than noise. */
export function nextClockOffset(known: number | null, snapshotAt: string, receivedAt: number): number {
  const measured = Date.parse(snapshotAt) - receivedAt;
  return known !== null && Math.abs(measured - known) < OFFSET_NOISE_MS ? known : measured;
}
