import { useEffect, useState } from 'react';
import { useStore } from './store.ts';

/** The server's time now, ms since 1970; null before the first snapshot. */
export function serverNow(): number | null {
  const { clockOffset } = useStore.getState().connection;
  return clockOffset === null ? null : Date.now() + clockOffset;
}

/**
 * The server's time, brought up to date every `everyMs`. While the stream is lost it stands still at the last snapshot,
 * so that no age goes on counting what nobody knows. Null before the first snapshot.
 */
export function useServerNow(everyMs = 1_000): number | null {
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const offset = useStore((state) => state.connection.clockOffset);
  const lastSnapshotAt = useStore((state) => (state.connection.freshness === 'lost' ? state.connection.lastSnapshotAt : null));
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (lost) return;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, lost]);
  if (offset === null) return null;
  return lost && lastSnapshotAt !== null ? lastSnapshotAt + offset : now + offset;
}
