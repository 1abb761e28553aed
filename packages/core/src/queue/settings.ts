import { GalleyError } from '@galley/contract';
import { checkWhole, type Range, SUBMIT_LIMITS } from '../rules/submit-limits.ts';

/** What a process may choose for a queue; unlike the definition it is not stored. All times in milliseconds. */
export interface QueueSettings {
  readonly leaseMs: number;
  readonly maxRetries: number;
  readonly crashBudget: number;
  /** How long a run may take unless its task says otherwise; over 2,147,483,647 counts as that. */
  readonly timeoutMs: number;
  readonly resultMs: number;
  /** How long ended tasks and dead letters are remembered; 0: until the janitor's next pass. */
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

const CENTURY_MS = 100 * 365 * 86_400_000;
const MOST_TASKS = 1_000_000_000;

/** What the scripts and their clock can work with (docs/library.md). */
const RANGES = {
  leaseMs: { least: 1, most: 86_400_000 },
  maxRetries: SUBMIT_LIMITS.maxRetries,
  crashBudget: SUBMIT_LIMITS.crashBudget,
  timeoutMs: { least: 1, most: CENTURY_MS },
  resultMs: SUBMIT_LIMITS.resultMs,
  retentionMs: { least: 0, most: CENTURY_MS },
  deadRetentionMs: { least: 0, most: CENTURY_MS },
  retentionCount: { least: 0, most: MOST_TASKS },
  deferredLimitMs: { least: 0, most: CENTURY_MS },
  depthLimit: { least: 0, most: MOST_TASKS },
} as const satisfies Record<Exclude<keyof QueueSettings, 'timelines'>, Range>;

/** Throws `invalid_request` for settings that no script could work with. */
export function checkSettings(settings: QueueSettings): QueueSettings {
  for (const name of Object.keys(RANGES) as (keyof typeof RANGES)[]) checkWhole(name, settings[name], RANGES[name]);
  if (typeof settings.timelines !== 'boolean')
    throw new GalleyError('invalid_request', `timelines is true or false, not ${String(settings.timelines)}`);
  return settings;
}

/** How long a timeline lives, as the scripts take it; 0 where the queue keeps none. */
export function timelineMs(settings: QueueSettings): number {
  return settings.timelines ? settings.retentionMs : 0;
}
