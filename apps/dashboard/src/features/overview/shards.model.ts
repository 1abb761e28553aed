import type { QueueSnapshot, ShardRow } from '@galley/contract';

export interface ShardModel {
  readonly row: ShardRow;
  readonly stuck: boolean;
  /** Lock keys and tasks in processing are not the same number. */
  readonly differs: boolean;
  /** Of the fullest shard's pending, 0 to 1. */
  readonly share: number;
}

/** Over this many the list is virtual and shows warnings first. */
export const SHARDS_DRAWN = 16;

/** The rows of the shard table, in the order of the shards, or warnings first where there are many. */
export function shardsOf(snapshot: QueueSnapshot): readonly ShardModel[] {
  const fullest = Math.max(1, ...snapshot.shards.map((row) => row.pending));
  const stuck = new Set(snapshot.alerts.filter((alert) => alert.code === 'shard_stuck').map((alert) => alert.shard));
  const models = snapshot.shards.map((row) => ({
    row,
    stuck: stuck.has(row.shard),
    differs: snapshot.lock_keys && row.locks !== row.processing,
    share: row.pending / fullest,
  }));
  if (models.length <= SHARDS_DRAWN) return models;
  const weight = (model: ShardModel): number => (model.stuck ? 2 : 0) + (model.differs ? 1 : 0);
  return models.sort((one, other) => weight(other) - weight(one));
}

/** How many of a worker's tasks are the oldest lock of a stuck shard. */
export function stuckTasks(snapshot: QueueSnapshot): ReadonlySet<string> {
  return new Set(
    shardsOf(snapshot).flatMap((model) => (model.stuck && model.row.oldest_lock !== undefined ? [model.row.oldest_lock.task_id] : [])),
  );
}
