import { TASK_STATES, type TaskState } from '@galley/contract';

/**
 * A task's changing part as scripts pack it (scripts/fragments/layout.lua holds the same layout; docs/redis-keys.md
 * describes it). Big-endian: version u8, state u8, flags u8, priority u16, score f64, fence u32, attempts u16, crashes u16,
 * max_retries u16, crash_budget u8, created u48, since u48, started u48, deferred_since u48, progress u16, worker id.
 */
export const RECORD_BYTES = 50;
export const RECORD_VERSION = 1;

export const RECORD_FLAGS = { runOpen: 1, hasIdentity: 2, hasTags: 4, isParent: 8, hasGate: 16, parked: 32 } as const;

export interface TaskRecord {
  readonly state: TaskState;
  readonly flags: number;
  readonly priority: number;
  readonly score: number;
  readonly fence: number;
  readonly attempts: number;
  readonly crashes: number;
  readonly maxRetries: number;
  readonly crashBudget: number;
  /** Milliseconds since the epoch, Redis's clock; so are the next four. */
  readonly createdAt: number;
  /** Scheduled and retrying: when due. Pending: since when runnable. Processing: start. Ended: the end. */
  readonly since: number;
  /** Start of the last run; 0 before the first. */
  readonly startedAt: number;
  /** First deferral of the present life; 0 where there was none. */
  readonly deferredSince: number;
  /** 0–1. */
  readonly progress: number;
  /** Holder of the last run; empty before the first. */
  readonly worker: string;
}

/** The record that stands in `bytes` from `start` to `end`. Throws where it is of a version this build does not know. */
export function decodeRecord(bytes: Buffer, start = 0, end = bytes.length): TaskRecord {
  const version = bytes.readUInt8(start);
  if (version !== RECORD_VERSION || end - start < RECORD_BYTES) {
    throw new Error(`a task record of format version ${version} cannot be read by this build, which knows version ${RECORD_VERSION}`);
  }
  const state = TASK_STATES[bytes.readUInt8(start + 1)];
  if (state === undefined) throw new Error(`a task record names the unknown state ${bytes.readUInt8(start + 1)}`);
  return {
    state,
    flags: bytes.readUInt8(start + 2),
    priority: bytes.readUInt16BE(start + 3),
    score: bytes.readDoubleBE(start + 5),
    fence: bytes.readUInt32BE(start + 13),
    attempts: bytes.readUInt16BE(start + 17),
    crashes: bytes.readUInt16BE(start + 19),
    maxRetries: bytes.readUInt16BE(start + 21),
    crashBudget: bytes.readUInt8(start + 23),
    createdAt: bytes.readUIntBE(start + 24, 6),
    since: bytes.readUIntBE(start + 30, 6),
    startedAt: bytes.readUIntBE(start + 36, 6),
    deferredSince: bytes.readUIntBE(start + 42, 6),
    progress: bytes.readUInt16BE(start + 48) / 10_000,
    worker: bytes.toString('utf8', start + RECORD_BYTES, end),
  };
}
