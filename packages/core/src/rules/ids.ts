/**
 * Task ids (DESIGN §3): `<queue>-NN-<sequence, 12 base-36 digits>-<6 random>`, a child's `<parent id>.<00001…>`.
 * An id names its queue and shard and sorts by arrival.
 */
export interface ParsedTaskId {
  readonly id: string;
  readonly queue: string;
  readonly shard: string;
  readonly sequence: number;
  /** The parent's id and the child's number, where it is a child. */
  readonly parentId: string | null;
  readonly childNumber: number | null;
}

const PATTERN = /^(([a-z][a-z0-9-]{0,31})-(\d{2,4})-([0-9a-z]{12})-[0-9a-z]{6})(?:\.(\d{5,7}))?$/;
/** Records and messages of this many sequence numbers share a hash. */
export const RECORDS_PER_HASH = 4096;

/** Null where the text is no task id. */
export function parseTaskId(id: string): ParsedTaskId | null {
  const match = PATTERN.exec(id);
  if (match === null) return null;
  const [, own = '', queue = '', shard = '', sequence = '', child] = match;
  return {
    id,
    queue,
    shard,
    sequence: Number.parseInt(sequence, 36),
    parentId: child === undefined ? null : own,
    childNumber: child === undefined ? null : Number(child),
  };
}

/** Whether a task's id, known to be one, is a child's. */
export function isChildId(id: string): boolean {
  return id.includes('.', id.lastIndexOf('-'));
}

export function childId(parentId: string, number: number): string {
  return `${parentId}.${String(number).padStart(5, '0')}`;
}

/** The bounded hash that holds the record, message and errors of an id. */
export function bucketOf(id: ParsedTaskId): string {
  const bucket = String(Math.floor(id.sequence / RECORDS_PER_HASH));
  return id.childNumber === null ? bucket : `${bucket}:${Math.floor(id.childNumber / RECORDS_PER_HASH)}`;
}

/** A task's field in its hash of messages (scripts/fragments/buckets.lua writes the same). */
export function messageField(id: ParsedTaskId): string {
  return id.id.slice(id.id.lastIndexOf('-') - 3);
}

/** Ids of one shard start with this. */
export function idHead(queue: string, shard: string): string {
  return `${queue}-${shard}-`;
}

const SUFFIXES = 36 ** 6;

/** Six base-36 characters, so that an id is not repeated after a failover loses a sequence. */
export function randomSuffix(random: () => number): string {
  return Math.floor(random() * SUFFIXES)
    .toString(36)
    .padStart(6, '0');
}
