import type { PageResult } from '@galley/contract';

/** What a run adds to the queue's counters: its pages, and by engine how they ended. */
export function pageCounters(pages: readonly PageResult[]): Record<string, number> {
  const counters: Record<string, number> = { pages: pages.length };
  for (const { engine, error } of pages) {
    const field = `pages:${engine}:${error === undefined ? 'ok' : 'failed'}`;
    counters[field] = (counters[field] ?? 0) + 1;
  }
  return counters;
}
