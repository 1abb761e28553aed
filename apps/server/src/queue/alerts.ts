import type { ALERT_CODES, Alert, AlertThresholds } from '@galley/contract';
import type { ShardState } from '@galley/core';

/** What alerts are judged by; ages by Redis's clock. */
export interface AlertFacts {
  readonly now: number;
  readonly liveTasks: number;
  readonly workers: number;
  readonly paused: boolean;
  readonly shards: readonly ShardState[];
  /** Milliseconds; null where nothing ran lately. */
  readonly runP95: number | null;
  readonly oldestPendingAt: number | null;
  /** In the last minutes that are looked at. */
  readonly diedLately: number;
  readonly crashedLately: number;
  readonly lately: string;
  readonly redisFault: string | null;
  readonly thresholds: AlertThresholds;
}

type AlertCode = (typeof ALERT_CODES)[number];

/** One cause; `since` where the facts themselves say when it began. */
export interface Cause {
  readonly code: AlertCode;
  readonly detail: string;
  readonly since?: number;
  readonly shard?: string;
  readonly taskId?: string;
}

/** The age past which a lock is stuck. */
export function stuckAfterMs(runP95: number | null, thresholds: AlertThresholds): number {
  return Math.max(thresholds.stuck_least_ms, thresholds.stuck_times_p95 * (runP95 ?? 0));
}

export function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function stuckShards(facts: AlertFacts): Cause[] {
  const threshold = stuckAfterMs(facts.runP95, facts.thresholds);
  return facts.shards.flatMap(({ shard, oldestLock }): Cause[] => {
    if (oldestLock === null || facts.now - oldestLock.startedAt <= threshold) return [];
    const usual = facts.runP95 === null ? '' : ` A run usually takes at most ${durationText(facts.runP95)}.`;
    return [
      {
        code: 'shard_stuck',
        // Named by when it began, since the sentence must not change every second.
        detail: `Shard ${shard} has held one lock for over ${durationText(threshold)}.${usual} Its lease is being renewed: the task is slow, not lost.`,
        since: oldestLock.startedAt + threshold,
        shard,
        taskId: oldestLock.taskId,
      },
    ];
  });
}

/** What is wrong now, worst first. */
export function causesOf(facts: AlertFacts): Cause[] {
  const { backlog_old_ms: backlogOldMs, dying_least: dyingLeast } = facts.thresholds;
  const causes: Cause[] = [];
  if (facts.redisFault !== null) causes.push({ code: 'redis_policy', detail: facts.redisFault });
  if (facts.liveTasks > 0 && facts.workers === 0) {
    causes.push({
      code: 'no_workers',
      detail: 'No worker is alive. Tasks wait safely. Start a worker, or set GALLEY_WORKERS above 0 and restart.',
    });
  }
  if (facts.crashedLately > 0) {
    causes.push({
      code: 'workers_lost',
      detail: `${facts.crashedLately} runs ended because their worker died, in the last ${facts.lately}. Their tasks are back in line.`,
    });
  }
  causes.push(...stuckShards(facts));
  if (facts.diedLately >= dyingLeast) {
    causes.push({
      code: 'dead_letters_rising',
      detail: `${facts.diedLately} tasks became dead letters in the last ${facts.lately}. Read their codes before you retry them.`,
    });
  }
  if (!facts.paused && facts.oldestPendingAt !== null && facts.now - facts.oldestPendingAt > backlogOldMs) {
    causes.push({
      code: 'backlog_old',
      detail: `The oldest task in line has waited for over ${durationText(backlogOldMs)}. Add workers or slots if this is too long.`,
      since: facts.oldestPendingAt + backlogOldMs,
    });
  }
  return causes;
}

/** Remembers since when each cause has lasted, so that an alert's `since` stands still. */
export class AlertLog {
  private since = new Map<string, number>();

  update(causes: readonly Cause[], now: number): Alert[] {
    const next = new Map<string, number>();
    const alerts = causes.map((cause): Alert => {
      const key = `${cause.code} ${cause.shard ?? ''}`;
      const since = cause.since ?? this.since.get(key) ?? now;
      next.set(key, since);
      return {
        code: cause.code,
        since: new Date(since).toISOString(),
        detail: cause.detail,
        ...(cause.shard === undefined ? {} : { shard: cause.shard }),
        ...(cause.taskId === undefined ? {} : { task_id: cause.taskId }),
      };
    });
    this.since = next;
    return alerts;
  }
}
