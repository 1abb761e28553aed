import type { HistoryWriter } from './writer.ts';

const TICK_MS = 50;
/** A tick later than this is told: nothing can be held against a process that got no time. */
const STALL_MS = 250;

/** Notes when this process got no time from its machine. Returns how to stop watching. */
export function watchStalls(history: HistoryWriter): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - TICK_MS;
    last = now;
    if (late > STALL_MS) history.write({ event: 'stalled', forMs: Math.ceil(late + TICK_MS) });
  }, TICK_MS);
  return () => clearInterval(timer);
}
