import type { SystemName, SystemSetup, WorkerSetup } from '../systems/system.ts';

/** What the orchestrator and its processes say to each other. Times: milliseconds of the monotonic clock; CPU: microseconds. */
export interface WorkerOrder extends WorkerSetup {
  readonly system: SystemName;
  /** How long a handler waits; null: until its run is stopped. */
  readonly workMs: number | null;
  /** How often it says how far it is; 0: never, because that costs too. */
  readonly countEveryMs: number;
  /** Whether it keeps when and by which claim each task started, which costs memory. */
  readonly recordStarts: boolean;
  /** Tasks that each process does beforehand in a queue of its own, so that code is compiled. */
  readonly warmUp: number;
}

export type WorkerCommand = 'start' | 'report' | 'stop';

export interface WorkerCount {
  readonly kind: 'count';
  readonly started: number;
  readonly ended: number;
  readonly lastEndedAt: number;
  readonly cpuUs: number;
}

/** One start of a handler. */
export interface Start {
  readonly id: string;
  readonly submittedAt: number;
  readonly startedAt: number;
}

export interface WorkerReport {
  readonly kind: 'report';
  readonly endedIds: string[];
  readonly starts: Start[];
  /** Galley alone: task ids by the claim that took them. */
  readonly claims: string[][];
  readonly cpuUs: number;
}

export type WorkerMessage = { readonly kind: 'ready' } | { readonly kind: 'stopped' } | WorkerCount | WorkerReport;

/** How tasks are submitted: in large calls; so many calls at once; one after the other; or so many a second whatever comes back. */
export type SubmitMode =
  | { readonly kind: 'bulk'; readonly chunk: number }
  | { readonly kind: 'concurrent'; readonly width: number }
  | { readonly kind: 'awaited' }
  | { readonly kind: 'paced'; readonly perSecond: number };

export interface SubmitOrder extends SystemSetup {
  readonly system: SystemName;
  readonly mode: SubmitMode;
  readonly count: number;
  /** Priorities from 1 to this many in turn; 1: all of priority `priority`. */
  readonly priorities: number;
  readonly priority: number;
  readonly identities: boolean;
  /** Tasks sent beforehand to a queue of their own, so that code is compiled. */
  readonly warmUp: number;
  readonly keepIds: boolean;
}

export type SubmitCommand = 'start';

export interface SubmitReport {
  readonly kind: 'report';
  readonly ids: string[];
  readonly wallMs: number;
  readonly cpuUs: number;
}

export type SubmitMessage = { readonly kind: 'ready' } | SubmitReport;
