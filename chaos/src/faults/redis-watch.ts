import type { Connection } from '@galley/core';
import { STALL_MS } from '../history/stall-watch.ts';
import type { HistoryWriter } from '../history/writer.ts';

const EVERY_MS = 100;

/** Notes for `history` when Redis, asked without a proxy between, took long to answer: on a busy machine it gets no time either. Returns how to stop. */
export function watchRedis({ client }: Connection, history: HistoryWriter): () => void {
  let asking = false;
  const ask = async (): Promise<void> => {
    const askedAt = performance.now();
    await client.ping();
    const tookMs = performance.now() - askedAt;
    if (tookMs > STALL_MS) history.write({ event: 'stalled', forMs: Math.ceil(tookMs) });
  };
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    // A run that is over closes the connection under a question.
    ask()
      .catch(() => undefined)
      .finally(() => (asking = false));
  }, EVERY_MS);
  return () => clearInterval(timer);
}
