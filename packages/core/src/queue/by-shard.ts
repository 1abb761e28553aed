import type { QueueLayout, ShardLayout } from './layout.ts';

/** Ids by the shard that they name, each once; ids of no shard of the queue are left out. */
export function groupByShard(layout: QueueLayout, ids: readonly string[]): Map<ShardLayout, string[]> {
  const groups = new Map<ShardLayout, string[]>();
  for (const id of new Set(ids)) {
    const shard = layout.shardOf(id);
    if (shard === null) continue;
    const own = groups.get(shard);
    if (own === undefined) groups.set(shard, [id]);
    else own.push(id);
  }
  return groups;
}

/**
 * Runs each shard's ids, and puts the answers back in the order of the ids; `unknown` for ids of no shard. An id that is given twice
 * is run once, and both places get its answer.
 */
export async function eachShard<Answer>(
  layout: QueueLayout,
  ids: readonly string[],
  unknown: Answer,
  run: (shard: ShardLayout, own: string[]) => Promise<readonly Answer[]>,
): Promise<Answer[]> {
  const byId = new Map<string, Answer>();
  await Promise.all(
    [...groupByShard(layout, ids)].map(async ([shard, own]) => {
      const answers = await run(shard, own);
      own.forEach((id, index) => byId.set(id, answers[index] ?? unknown));
    }),
  );
  return ids.map((id) => byId.get(id) ?? unknown);
}
