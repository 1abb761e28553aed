import type { HistoryWriter } from './writer.ts';

const TICK_MS = 50;
/** A tick later than this is told: nothing can be held against a process that got no time. */
export const STALL_MS = 250;

/** How often a process says that it has time: one that is killed while it has none cannot say that. */
export const ALIVE_MS = 500;

/** Notes when this process had time and when it got none. Returns how to stop watching. */
export function watchStalls(history: HistoryWriter): () => void {
  let last = performance.now();
  let said = last;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - TICK_MS;
    last = now;
    if (now - said >= ALIVE_MS) {
      said = now;
      history.write({ event: 'alive' });
    }
    if (late > STALL_MS) history.write({ event: 'stalled', forMs: Math.ceil(late + TICK_MS) });
  }, TICK_MS);
  return () => clearInterval(timer);
}
