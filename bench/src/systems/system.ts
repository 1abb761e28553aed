/** What the benchmarks ask of a scheduler, so that Galley and its peers run the same steps. */
export interface SystemSetup {
  readonly socketPath: string;
  readonly queue: string;
  /** Galley alone: whether leases are also lock keys, and how tasks are ordered. Fixed by who opens the queue first. */
  readonly lockKeys: boolean;
  readonly order: 'strict' | 'aging';
}

export interface TaskSpec {
  /** Lower runs first, in every system. */
  readonly priority: number;
  readonly payload: Payload;
  /** Submit it once: a dedup identity (and, where the system knows them, a tag). */
  readonly identity?: string;
}

/** What every task carries; 200 bytes of JSON. */
export interface Payload {
  /** Milliseconds of the monotonic clock at submit, which is the same for all processes of a machine. */
  readonly at: number;
  readonly filler: string;
}

export interface Producer {
  /** Resolves with the task's id once the task is stored. */
  add(task: TaskSpec): Promise<string>;
  /** The fastest way there is to add many; ids in order. */
  addMany(tasks: readonly TaskSpec[]): Promise<string[]>;
  close(): Promise<void>;
}

export interface WorkerSetup extends SystemSetup {
  /** Tasks at once in one process. */
  readonly slots: number;
  /** Whether handlers return a result. */
  readonly results: boolean;
  /** BullMQ and bee-queue alone: whether ended tasks are removed at once. */
  readonly removeEnded: boolean;
}

export interface WorkerHooks {
  /** Runs as the task's handler. `signalOf` is called only by a handler that listens to it, because making one costs. */
  readonly handle: (id: string, payload: Payload, signalOf: () => AbortSignal | null) => Promise<void>;
  /** The task's end has been stored. */
  readonly ended: (id: string) => void;
  /** Galley alone: a run has been taken on; called in one turn for all runs of one claim. */
  readonly claimed: (id: string) => void;
}

export interface BenchWorker {
  /** Begins to take tasks. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface System {
  openProducer(setup: SystemSetup): Promise<Producer>;
  openWorker(setup: WorkerSetup, hooks: WorkerHooks): Promise<BenchWorker>;
}

export const SYSTEM_NAMES = ['galley', 'bullmq', 'bee-queue', 'raw'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];
