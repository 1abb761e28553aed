import type { Logger } from '../maintenance/chore.ts';
import type { ShardLayout } from '../queue/layout.ts';
import type { Queue } from '../queue/queue.ts';
import { decodeMessage, type TaskMessage } from '../rules/message.ts';
import type { ClaimedRow } from '../scripts/claim.ts';
import { type AbortReason, abortError } from './abort-reason.ts';

/** One run from claim to report, as the worker that holds it sees it. */
export class Run {
  readonly queue: Queue;
  readonly shard: ShardLayout;
  readonly row: ClaimedRow;
  readonly message: TaskMessage;
  /** Monotonic time until which the lease is sure: a holder trusts it a margin less than Redis does. */
  trustedUntil: number;
  /** Whether its handler must not go on once the lease is no longer sure (DESIGN P2). */
  readonly exclusive: boolean;
  /** 0–1; sent with the next renewal. */
  progress: number;
  /** The span of the run, for its children to follow; null where nobody traces. */
  traceparent: string | null = null;
  /** Made when a handler asks for its signal: most runs end without anybody having looked. */
  private abort: AbortController | null = null;
  private abortedWith: Error | null = null;
  private reasonOfAbort: AbortReason | null = null;

  constructor(queue: Queue, shard: ShardLayout, row: ClaimedRow, message: TaskMessage, trustedUntil: number, exclusive = false) {
    this.queue = queue;
    this.shard = shard;
    this.row = row;
    this.message = message;
    this.trustedUntil = trustedUntil;
    this.exclusive = exclusive;
    this.progress = row.record.progress;
  }

  get id(): string {
    return this.row.id;
  }

  get fence(): number {
    return this.row.record.fence;
  }

  get signal(): AbortSignal {
    if (this.abort === null) {
      this.abort = new AbortController();
      if (this.abortedWith !== null) this.abort.abort(this.abortedWith);
    }
    return this.abort.signal;
  }

  /** What its signal was, or would be, aborted with; null while it goes on. */
  get abortError(): Error | null {
    return this.abortedWith;
  }

  get abortReason(): AbortReason | null {
    return this.reasonOfAbort;
  }

  get lockKey(): string {
    return this.shard.keys.locks + this.id;
  }

  /** The first reason stands. */
  stop(reason: AbortReason, detail: string): void {
    if (this.reasonOfAbort !== null) return;
    this.reasonOfAbort = reason;
    this.abortedWith = abortError(reason, detail);
    this.abort?.abort(this.abortedWith);
  }
}

/** A message that cannot be read becomes a dead letter through the missing handler, never an endless claim. */
export function messageOf(row: ClaimedRow, logger: Logger): TaskMessage {
  try {
    return decodeMessage(row.message);
  } catch (error) {
    logger.error({ err: error, task: row.id }, 'a task has no readable message');
    return { header: { type: '' }, payload: null };
  }
}
