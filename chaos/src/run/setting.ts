/** How the system under chaos is set up. Times in milliseconds; leases are short, so that a short run sees many of them run out. */
export const SETTING = {
  queue: 'chaos',
  shards: 8,
  slots: 2,
  leaseMs: 2_000,
  reaperMs: 200,
  crashBudget: 3,
  maxRetries: 2,
  /** The longest that a run may take, unless its task says otherwise. */
  timeoutMs: 10_000,
  /** What a thread has to heed its signal before it is ended. */
  abortGraceMs: 300,
  /** What a worker that is stopped gives its runs. */
  graceMs: 500,
} as const;
export type Setting = typeof SETTING;
