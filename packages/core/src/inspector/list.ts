import { GalleyError } from '@galley/contract';
import type { QueueLayout, ShardLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { tagKey } from '../redis/keys.ts';
import type { ReadBuffer } from './read-buffer.ts';
import { loadTasks, type TaskView } from './task-view.ts';

/** Which sorted sets a list walks: a tag's (by submit time), the dead letters' or one code's (by time of death), the ended ones', or the line. */
export type ListIndex =
  | { readonly kind: 'tag'; readonly tag: string; readonly value: string }
  | { readonly kind: 'dead' | 'finished' | 'pending' | 'processing' | 'due' };

export interface ListQuery {
  readonly index: ListIndex;
  readonly order: 'newest' | 'oldest';
  readonly cursor?: string;
  readonly limit: number;
  /** Tasks that it refuses are passed over. */
  readonly accepts?: (task: TaskView) => boolean;
}

export interface TaskPage {
  readonly tasks: TaskView[];
  /** Where to go on; null at the end. A page may be short and still have a cursor, when a filter passed over many. */
  readonly nextCursor: string | null;
}

/** How many entries one call walks at most, so that a rare match cannot make it unbounded. */
const WALK_LIMIT = 4_000;

interface Place {
  readonly score: number;
  readonly id: string;
}

interface Entry extends Place {
  readonly shard: ShardLayout;
}

function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify([place.score, place.id])).toString('base64url');
}

function decodeCursor(cursor: string): Place {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'string') return { score: value[0], id: value[1] };
  } catch {
    // Not JSON: the same refusal as any other bad cursor.
  }
  throw new GalleyError('invalid_request', 'the cursor is not one of this list: start again without it');
}

function indexKey(shard: ShardLayout, index: ListIndex): string {
  return index.kind === 'tag' ? tagKey(shard.keys.base, index.tag, index.value) : shard.keys[index.kind];
}

function isBefore(a: Place, b: Place, order: 'newest' | 'oldest'): boolean {
  const direction = order === 'newest' ? -1 : 1;
  if (a.score !== b.score) return (a.score - b.score) * direction < 0;
  return order === 'newest' ? a.id > b.id : a.id < b.id;
}

/** Entries of one shard behind `after`. The score range includes it, because ties are told apart by id. */
async function shardEntries(
  connection: Connection,
  shard: ShardLayout,
  query: ListQuery,
  after: Place | null,
  count: number,
): Promise<Entry[]> {
  const key = indexKey(shard, query.index);
  const entries: Entry[] = [];
  for (let offset = 0; ; offset += count) {
    const flat =
      query.order === 'newest'
        ? await connection.client.zrevrangebyscore(key, after?.score ?? '+inf', '-inf', 'WITHSCORES', 'LIMIT', offset, count)
        : await connection.client.zrangebyscore(key, after?.score ?? '-inf', '+inf', 'WITHSCORES', 'LIMIT', offset, count);
    for (let at = 0; at + 1 < flat.length; at += 2) {
      const entry = { id: flat[at] ?? '', score: Number(flat[at + 1]), shard };
      if (after === null || isBefore(after, entry, query.order)) entries.push(entry);
    }
    if (entries.length >= count || flat.length < count * 2) return entries;
  }
}

/** One page over all shards, merged by place. Cursors name a place, so they stay right while tasks come and go. */
export async function listTasks(connection: Connection, layout: QueueLayout, reads: ReadBuffer, query: ListQuery): Promise<TaskPage> {
  const tasks: TaskView[] = [];
  let after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  for (let walked = 0; walked < WALK_LIMIT; ) {
    const count = Math.max(query.limit - tasks.length + 1, 20);
    const perShard = await Promise.all(layout.shardList.map((shard) => shardEntries(connection, shard, query, after, count)));
    const merged = perShard
      .flat()
      .sort((a, b) => (isBefore(a, b, query.order) ? -1 : 1))
      .slice(0, count);
    const views = await loadTasks(
      reads,
      layout,
      merged.map((entry) => entry.id),
    );
    for (const [index, entry] of merged.entries()) {
      const view = views[index];
      after = entry;
      walked++;
      if (view === null || view === undefined || !(query.accepts?.(view) ?? true)) continue;
      tasks.push(view);
      if (tasks.length === query.limit) {
        const more = index + 1 < merged.length || perShard.some((entries) => entries.length >= count);
        return { tasks, nextCursor: more ? encodeCursor(entry) : null };
      }
    }
    if (merged.length < count) return { tasks, nextCursor: null };
  }
  return { tasks, nextCursor: after === null ? null : encodeCursor(after) };
}

/** How many tasks an index holds over all shards. */
export async function countIndex(connection: Connection, layout: QueueLayout, index: ListIndex): Promise<number> {
  const counts = await Promise.all(layout.shardList.map((shard) => connection.client.zcard(indexKey(shard, index))));
  return counts.reduce((sum, count) => sum + count, 0);
}
