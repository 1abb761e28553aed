import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Random } from '../clock.ts';
import type { Logger } from '../maintenance/chore.ts';
import type { Queue } from '../queue/queue.ts';
import type { Connection } from '../redis/connection.ts';
import type { Executor } from './executor.ts';
import type { Isolation } from './isolation.ts';
import type { Run } from './run.ts';

export interface WorkerOptions {
  readonly connection: Connection;
  readonly queues: readonly Queue[];
  readonly executor: Executor;
  /** Tasks at once. */
  readonly slots: number;
  /**
   * Tasks claimed beyond the free slots, for tasks so small that the way to Redis takes longer than they do. They wait here, best
   * first, with their leases renewed. A better task that comes meanwhile is begun before them, once it is claimed. Default 0: what is
   * claimed starts at once.
   */
  readonly prefetch?: number;
  /** Types of tasks whose handlers are stopped as soon as their lease is no longer sure, not only when it is known to be lost. */
  readonly exclusive?: readonly string[];
  readonly version?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Shared by the workers of one process, so that a run which must be alone in it is; left out, the worker has one of its own. */
  readonly isolation?: Isolation;
  /** A name for a task in the worker list, such as its file's. */
  readonly nameOf?: (run: Run) => string | undefined;
  /** Hears that handlers can no longer be run here. The worker has begun to stop by itself, and hands back what it holds. */
  readonly onBroken?: (why: Error) => void;
}

/** Unique per process and start; never contains `#`, which ends it in a lock key. */
export function newWorkerId(): string {
  const host =
    hostname()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 32) || 'host';
  return `${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
}
