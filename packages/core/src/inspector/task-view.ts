import type { TaskState } from '@galley/contract';
import { eachShard } from '../queue/by-shard.ts';
import type { QueueLayout, ShardLayout } from '../queue/layout.ts';
import type { Connection } from '../redis/connection.ts';
import { childrenKey, errorsKey, messagesKey, recordsKey, resultKey } from '../redis/keys.ts';
import { bucketOf, messageField, type ParsedTaskId, parseTaskId } from '../rules/ids.ts';
import { decodeMessage, type Json, type MessageHeader } from '../rules/message.ts';
import { decodeRecord, RECORD_FLAGS, type TaskRecord } from '../rules/record.ts';

export interface TaskErrorView {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly attempt: number;
  readonly fence: number;
  readonly code: string;
  readonly message: string;
  readonly stack?: string;
}

export interface ChildrenView {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
}

/** A task as it stands in Redis, all times in milliseconds of Redis's clock. */
export interface TaskView {
  readonly id: string;
  readonly queue: string;
  readonly shard: string;
  readonly parentId: string | null;
  readonly childNumber: number | null;
  readonly state: TaskState;
  readonly header: MessageHeader;
  readonly payload: Json;
  readonly priority: number;
  readonly score: number;
  readonly fence: number;
  readonly attempts: number;
  readonly crashes: number;
  readonly maxRetries: number;
  readonly progress: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly dueAt: number | null;
  readonly worker: string | null;
  readonly leaseExpiresAt: number | null;
  readonly errors: readonly TaskErrorView[];
  readonly children: ChildrenView | null;
  /** When the result goes; null where none is held. */
  readonly resultExpiresAt: number | null;
}

interface Raw {
  readonly record: Buffer;
  readonly message: string;
  readonly errors: string | null;
  readonly leaseExpiry: string | null;
  readonly resultExpiry: number;
  readonly children: (string | null)[];
}

export function parseErrorLines(lines: string | null): TaskErrorView[] {
  if (lines === null || lines === '') return [];
  return lines.split('\n').map((line) => {
    const [at = '', attempt = '', fence = ''] = line.split(' ', 3);
    const body = JSON.parse(line.slice(at.length + attempt.length + fence.length + 3)) as {
      code?: unknown;
      message?: unknown;
      stack?: unknown;
    };
    return {
      at: Number(at),
      attempt: Number(attempt),
      fence: Number(fence),
      code: typeof body.code === 'string' ? body.code : 'unknown_error',
      message: typeof body.message === 'string' ? body.message : '',
      ...(typeof body.stack === 'string' ? { stack: body.stack } : {}),
    };
  });
}

function viewOf(id: ParsedTaskId, raw: Raw): TaskView {
  const record: TaskRecord = decodeRecord(raw.record);
  const { header, payload } = decodeMessage(raw.message);
  const waitsForTime = record.state === 'scheduled' || record.state === 'retrying';
  const ended = record.state === 'completed' || record.state === 'cancelled' || record.state === 'dead_letter';
  const [total, completed, failed] = raw.children;
  return {
    id: id.id,
    queue: id.queue,
    shard: id.shard,
    parentId: id.parentId,
    childNumber: id.childNumber,
    state: record.state,
    header,
    payload,
    priority: record.priority,
    score: record.score,
    fence: record.fence,
    attempts: record.attempts,
    crashes: record.crashes,
    maxRetries: record.maxRetries,
    progress: record.progress,
    createdAt: record.createdAt,
    startedAt: record.startedAt === 0 ? null : record.startedAt,
    finishedAt: ended ? record.since : null,
    dueAt: waitsForTime ? record.since : null,
    worker: record.worker === '' ? null : record.worker,
    leaseExpiresAt: raw.leaseExpiry === null ? null : Number(raw.leaseExpiry),
    errors: parseErrorLines(raw.errors),
    children:
      (record.flags & RECORD_FLAGS.isParent) === 0
        ? null
        : { total: Number(total ?? 0), completed: Number(completed ?? 0), failed: Number(failed ?? 0) },
    resultExpiresAt: raw.resultExpiry > 0 ? raw.resultExpiry : null,
  };
}

const COMMANDS_PER_TASK = 6;

/** One pipeline per shard: its keys share a slot, so this holds on a cluster too. */
async function loadShard(connection: Connection, shard: ShardLayout, ids: readonly ParsedTaskId[]): Promise<Map<string, TaskView>> {
  const { base, processing } = shard.keys;
  const pipeline = connection.client.pipeline();
  for (const id of ids) {
    const bucket = bucketOf(id);
    pipeline.hgetBuffer(recordsKey(base, bucket), id.id);
    pipeline.hget(messagesKey(base, bucket), messageField(id));
    pipeline.hget(errorsKey(base, bucket), id.id);
    pipeline.zscore(processing, id.id);
    pipeline.pexpiretime(resultKey(base, id.id));
    pipeline.hmget(childrenKey(base, id.id), 'total', 'completed', 'failed');
  }
  const replies = (await pipeline.exec()) ?? [];
  const views = new Map<string, TaskView>();
  ids.forEach((id, index) => {
    const own = replies.slice(index * COMMANDS_PER_TASK, (index + 1) * COMMANDS_PER_TASK);
    for (const [error] of own) if (error !== null) throw error;
    const [record, message, errors, lease, expiry, children] = own.map(([, value]) => value);
    if (!Buffer.isBuffer(record) || typeof message !== 'string') return;
    views.set(
      id.id,
      viewOf(id, {
        record,
        message,
        errors: typeof errors === 'string' ? errors : null,
        leaseExpiry: typeof lease === 'string' ? lease : typeof lease === 'number' ? String(lease) : null,
        resultExpiry: Number(expiry),
        children: Array.isArray(children) ? children.map((value) => (typeof value === 'string' ? value : null)) : [],
      }),
    );
  });
  return views;
}

/** The tasks of these ids, in their order; null where there is none. */
export function loadTasks(connection: Connection, layout: QueueLayout, ids: readonly string[]): Promise<(TaskView | null)[]> {
  return eachShard<TaskView | null>(layout, ids, null, async (shard, own) => {
    const views = await loadShard(
      connection,
      shard,
      own.flatMap((id) => parseTaskId(id) ?? []),
    );
    return own.map((id) => views.get(id) ?? null);
  });
}
