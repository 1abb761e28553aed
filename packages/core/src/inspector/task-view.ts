import type { TaskState } from '@galley/contract';
import type { QueueLayout } from '../queue/layout.ts';
import { type ParsedTaskId, parseTaskId } from '../rules/ids.ts';
import { decodeMessage, type Json, type MessageHeader } from '../rules/message.ts';
import { decodeRecord, RECORD_FLAGS, type TaskRecord } from '../rules/record.ts';
import type { ReadRow } from '../scripts/read.ts';
import type { ReadBuffer, ResultPart } from './read-buffer.ts';

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

/** A task, with what was asked for of its result, as bytes. */
export interface LoadedTask {
  readonly task: TaskView;
  readonly result: Buffer;
}

export function parseErrorLines(lines: string): TaskErrorView[] {
  if (lines === '') return [];
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

/** Null where there is no such task. */
export function viewOf(id: ParsedTaskId, raw: ReadRow): TaskView | null {
  if (raw.record.length === 0 || raw.message === '') return null;
  const record: TaskRecord = decodeRecord(raw.record);
  const { header, payload } = decodeMessage(raw.message);
  const waitsForTime = record.state === 'scheduled' || record.state === 'retrying';
  const ended = record.state === 'completed' || record.state === 'cancelled' || record.state === 'dead_letter';
  const [total, completed, failed] = raw.children.split(' ');
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
    leaseExpiresAt: raw.leaseExpiry === '' ? null : Number(raw.leaseExpiry),
    errors: parseErrorLines(raw.errors),
    children:
      (record.flags & RECORD_FLAGS.isParent) === 0
        ? null
        : { total: Number(total ?? 0), completed: Number(completed ?? 0), failed: Number(failed ?? 0) },
    resultExpiresAt: raw.resultExpiry === '' ? null : Number(raw.resultExpiry),
  };
}

/** The tasks of these ids, in their order; null where there is none. */
export function loadTasks(reads: ReadBuffer, layout: QueueLayout, ids: readonly string[]): Promise<(TaskView | null)[]> {
  return Promise.all(ids.map((id) => loadTask(reads, layout, id, 'none').then((loaded) => loaded?.task ?? null)));
}

/** A task with as much of its result as is asked for; null where there is no such task. */
export async function loadTask(reads: ReadBuffer, layout: QueueLayout, id: string, result: ResultPart): Promise<LoadedTask | null> {
  const parsed = parseTaskId(id);
  const shard = layout.shardOf(id);
  if (parsed === null || shard === null) return null;
  const row = await reads.task(shard, id, result);
  const task = viewOf(parsed, row);
  return task === null ? null : { task, result: row.result };
}
