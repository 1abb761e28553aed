/**
 * Every Redis key that Galley uses is built here, and nowhere else (docs/redis-keys.md describes each).
 * Keys of one shard share the hash tag `{<queue>:shard-NN}`; scripts derive the bucketed ones from `base` by the same rules
 * (scripts/fragments).
 */
export interface ShardKeys {
  /** Hash-tagged prefix of all keys of the shard but the locks. */
  readonly base: string;
  /** Prefix of lock keys; STRING with PX per running task. */
  readonly locks: string;
  /** ZSET: task id by score. */
  readonly pending: string;
  /** ZSET: task id by lease expiry, ms. */
  readonly processing: string;
  /** ZSET: scheduled and retrying task ids by due time, ms. */
  readonly due: string;
  /** ZSET: dead letters by time of death, ms. */
  readonly dead: string;
  /** ZSET: completed and cancelled task ids by end time, ms. */
  readonly finished: string;
  /** HASH: tasks by state, and dead letters by code. */
  readonly counts: string;
  /** HASH: counters that never fall. */
  readonly totals: string;
  /** STRING: exists while the queue is paused. */
  readonly paused: string;
}

/** `suffix` is chosen at creation to spread shards over a cluster's masters; empty on a single server. */
export function shardTag(queue: string, shard: string, suffix: string): string {
  return `{${queue}:shard-${shard}${suffix}}`;
}

export function shardKeys(queue: string, shard: string, suffix: string): ShardKeys {
  const tag = shardTag(queue, shard, suffix);
  const base = `galley:${tag}:`;
  return {
    base,
    locks: `lock:job:${queue}-shard-${shard}:${tag}:`,
    pending: `${base}pending`,
    processing: `${base}processing`,
    due: `${base}due`,
    dead: `${base}dead`,
    finished: `${base}finished`,
    counts: `${base}counts`,
    totals: `${base}totals`,
    paused: `${base}paused`,
  };
}

/** HASH: task id → packed record. */
export const recordsKey = (base: string, bucket: string): string => `${base}tasks:${bucket}`;
/** HASH: task id → header line and payload. */
export const messagesKey = (base: string, bucket: string): string => `${base}messages:${bucket}`;
/** HASH: task id → error lines. */
export const errorsKey = (base: string, bucket: string): string => `${base}errors:${bucket}`;
/** STRING with PX: the turn after a user's last one of a priority, under fair order; in the user's home shard. */
export const turnKey = (base: string, priority: number, user: string): string => `${base}turn:${priority}:${user}`;
/** HASH: priority → the turn after the last that this shard gave. */
export const turnsKey = (base: string): string => `${base}turns`;
/** HASH: dedup identity → task id, by the first two characters of the identity. */
export const identityKey = (base: string, identity: string): string => `${base}identity:${identity.slice(0, 2)}`;
/** ZSET: concurrency keys held back by a rate, by when their next start is allowed. */
export const throttledKey = (base: string): string => `${base}throttled`;
/** HASH: the queue's rate and the starts that count against it; in the queue's first shard. */
export const rateKey = (base: string): string => `${base}rate`;
/** STRING: the last sequence number given out. */
export const sequenceKey = (base: string): string => `${base}sequence`;
/** STRING with PX: the result, or a pointer to its blob. */
export const resultKey = (base: string, id: string): string => `${base}result:${id}`;
/** LIST, at most 100: a task's timeline. */
export const eventsKey = (base: string, id: string): string => `${base}events:${id}`;
/** HASH: total, completed and failed children of a parent. */
export const childrenKey = (base: string, parentId: string): string => `${base}children:${parentId}`;
/** ZSET: task id by submit time (dead letters' `code`: by time of death). */
export const tagKey = (base: string, kind: string, value: string): string => `${base}tag:${kind}:${value}`;
/** HASH with TTL: one minute's counts. */
export const minuteKey = (base: string, minute: number): string => `${base}minute:${minute}`;
/** STRING with PX: the last answer to one request slot of a connection. */
export const replayKey = (base: string, client: string, slot: number): string => `${base}replay:${client}:${slot}`;

/** Channels of a shard: an improved head, words to holders, and one event per script. */
export const wakeChannel = (base: string): string => `${base}wake`;
export const controlChannel = (base: string): string => `${base}control`;
export const feedChannel = (base: string): string => `${base}feed`;

/** HASH: a queue's definition (layout.ts). */
export const queueKey = (queue: string): string => `galley:queue:${queue}`;
/** SET: names of all queues. */
export const queuesKey = 'galley:queues';
/** HASH: minute (epoch) → history point as JSON, one hash per day. */
export const historyKey = (queue: string, day: number): string => `galley:history:${queue}:${day}`;
/** Pattern of every lock key there is. */
export const LOCK_KEYS_PATTERN = 'lock:job:*';
/** Patterns of every key that belongs to one queue alone. */
export const queueKeyPatterns = (queue: string): readonly string[] => [
  `galley:{${queue}:shard-*`,
  `lock:job:${queue}-shard-*`,
  `galley:history:${queue}:*`,
];
/** ZSET: worker ids by heartbeat, ms. */
export const workersKey = 'galley:workers';
/** STRING with PX: one worker as JSON. */
export const workerKey = (workerId: string): string => `galley:worker:${workerId}`;
/** STRING with TTL: a bulk operation and its progress as JSON. */
export const operationKey = (operationId: string): string => `galley:operation:${operationId}`;
/** Channel: an operation's progress as JSON. */
export const operationChannel = 'galley:operations:feed';

/** The keys of one lock of the locks library, in one slot. */
export interface LockKeys {
  /** STRING with PX: `<fence> <holder> <acquisition id>…`, one id for each time that the holder has taken it; `<fence>+` where it has a line. */
  readonly lock: string;
  /** STRING with PX: the last fence given. */
  readonly fence: string;
  /** ZSET with PX: acquisition ids that wait, by arrival, µs. */
  readonly line: string;
  /** HASH with PX: acquisition id → `<alive until, ms> <f(air) or b(arging)> <holder>`. */
  readonly waiters: string;
}

/** Prefix of the locks that are held. */
export const heldLockPrefix = 'lock:name:';

export function lockKeys(name: string): LockKeys {
  const base = `galley:lock:{${name}}:`;
  return { lock: `${heldLockPrefix}{${name}}`, fence: `${base}fence`, line: `${base}line`, waiters: `${base}waiters` };
}

/** HASH: what Galley's own processes count of the locks that they use; counters that never fall. */
export const lockTotalsKey = 'galley:locks:totals';

/** Channel prefix: the acquisition ids whose turn has come, to the process that an id begins with. */
export const lockWakePrefix = 'galley:locks:wake:';
