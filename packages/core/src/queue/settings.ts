import { GalleyError } from '@galley/contract';
import { checkNumbers } from '../rules/submit-limits.ts';

/** What a process may choose for a queue; unlike the definition it is not stored. All times in milliseconds. */
export interface QueueSettings {
  readonly leaseMs: number;
  readonly maxRetries: number;
  readonly crashBudget: number;
  /** How long a run may take unless its task says otherwise. */
  readonly timeoutMs: number;
  readonly resultMs: number;
  /** How long ended tasks and dead letters are remembered. */
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
  /** The most completed and cancelled tasks that are remembered; 0 for no such limit. */
  readonly retentionCount: number;
  /** The longest that deferred runs (429, lock contention) may go on in all. */
  readonly deferredLimitMs: number;
  /**
   * Waiting tasks (pending, scheduled, retrying) of the whole queue past which submit answers `queue_full`; 0 for none. A shard that
   * holds less than its even part still takes up to that, so that one key's flood does not shut the others out.
   */
  readonly depthLimit: number;
  /** Whether each task keeps a timeline. */
  readonly timelines: boolean;
}

export const DEFAULT_QUEUE_SETTINGS = {
  leaseMs: 30_000,
  maxRetries: 3,
  crashBudget: 5,
  timeoutMs: 600_000,
  resultMs: 3_600_000,
  retentionMs: 7 * 86_400_000,
  deadRetentionMs: 30 * 86_400_000,
  retentionCount: 0,
  deferredLimitMs: 6 * 3_600_000,
  depthLimit: 0,
  timelines: false,
} as const satisfies QueueSettings;

const LONGEST_LEASE_MS = 86_400_000;

/** Throws `invalid_request` for settings that no script could work with. */
export function checkSettings(settings: QueueSettings): QueueSettings {
  const { leaseMs, maxRetries, crashBudget, resultMs } = settings;
  checkNumbers({ maxRetries, crashBudget, resultMs });
  if (!Number.isInteger(leaseMs) || leaseMs < 1 || leaseMs > LONGEST_LEASE_MS)
    throw new GalleyError('invalid_request', `leaseMs ${leaseMs} is not a whole number from 1 to ${LONGEST_LEASE_MS}`);
  return settings;
}

/** How long a timeline lives, as the scripts take it; 0 where the queue keeps none. */
export function timelineMs(settings: QueueSettings): number {
  return settings.timelines ? settings.retentionMs : 0;
}
