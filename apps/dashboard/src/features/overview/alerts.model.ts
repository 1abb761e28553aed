import type { Alert, QueueSnapshot, Worker } from '@galley/contract';
import type { Formats } from '../../i18n/index.ts';
import { deadLettersPath, systemPath, taskPath, tasksPath } from '../../routing/paths.ts';
import type { OverviewMessages } from './messages.ts';

export interface AlertLink {
  readonly label: string;
  readonly to: string;
}

export interface AlertModel {
  readonly id: string;
  readonly kind: 'warn' | 'error';
  readonly what: string;
  readonly why: string;
  readonly links: readonly AlertLink[];
}

export interface AlertFacts {
  readonly snapshot: QueueSnapshot;
  readonly workers: readonly Worker[];
  readonly words: OverviewMessages['alert'];
  readonly formats: Formats;
}

/** Worst first: what can lose or stop work, before what is slow. */
const ORDER = [
  'redis_policy',
  'no_workers',
  'workers_lost',
  'shard_stuck',
  'dead_letters_rising',
  'backlog_old',
] as const satisfies Alert['code'][];

function stuckAlert(alert: Alert, { snapshot, workers, words, formats }: AlertFacts): AlertModel {
  const row = snapshot.shards.find((shard) => shard.shard === alert.shard);
  const lock = row?.oldest_lock;
  const held = lock?.ms ?? Date.parse(snapshot.at) - Date.parse(alert.since);
  const usual = snapshot.run_ms.p50;
  const alive = lock !== undefined && workers.some((worker) => worker.worker_id === lock.worker_id);
  const taskId = alert.task_id ?? lock?.task_id;
  return {
    id: `shard_stuck ${alert.shard ?? ''}`,
    kind: 'warn',
    what: words.stuck(alert.shard ?? '', formats.whole(held)),
    why: words.sentences([...(usual === null ? [] : [words.usual(formats.duration(usual))]), ...(alive ? [words.slow] : [])]),
    links: [
      { label: words.openTask, to: taskId === undefined ? tasksPath({ status: 'processing' }) : taskPath(taskId) },
      ...(lock === undefined ? [] : [{ label: words.showWorker, to: `#worker-${lock.worker_id}` }]),
    ],
  };
}

function modelOf(alert: Alert, facts: AlertFacts): AlertModel {
  const { words, formats, snapshot } = facts;
  switch (alert.code) {
    case 'shard_stuck':
      return stuckAlert(alert, facts);
    case 'no_workers':
      return {
        id: alert.code,
        kind: 'error',
        what: words.noWorkers,
        why: words.noWorkersWhy,
        links: [{ label: words.showWorkers, to: systemPath('workers') }],
      };
    case 'workers_lost':
      return {
        id: alert.code,
        kind: 'warn',
        what: words.workersLost,
        why: words.workersLostWhy,
        links: [{ label: words.showWorkers, to: systemPath('workers') }],
      };
    case 'backlog_old': {
      const oldest = Math.max(0, ...snapshot.shards.map((shard) => shard.oldest_pending_ms ?? 0));
      return {
        id: alert.code,
        kind: 'warn',
        what: words.backlogOld(formats.whole(oldest)),
        why: words.backlogOldWhy,
        links: [{ label: words.showPending, to: tasksPath({ status: 'pending', order: 'oldest' }) }],
      };
    }
    case 'dead_letters_rising':
      return {
        id: alert.code,
        kind: 'error',
        what: words.deadRising,
        why: words.deadRisingWhy,
        links: [{ label: words.openDead, to: deadLettersPath() }],
      };
    case 'redis_policy':
      return { id: alert.code, kind: 'error', what: words.redisPolicy, why: words.redisPolicyWhy, links: [] };
  }
}

/** The alerts of the page, worst first. */
export function alertsOf(facts: AlertFacts): readonly AlertModel[] {
  return [...facts.snapshot.alerts]
    .sort((one, other) => ORDER.indexOf(one.code) - ORDER.indexOf(other.code))
    .map((alert) => modelOf(alert, facts));
}
