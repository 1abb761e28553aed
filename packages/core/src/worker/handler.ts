import type { ChildrenView } from '../inspector/task-view.ts';
import type { Json, TaskTypes } from '../rules/message.ts';

/** What a handler is told of its run. Plain data, so that it crosses into a thread. */
export interface TaskDelivery<Payload = Json> {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly payload: Payload;
  readonly priority: number;
  /** The number of the run: rises with every claim of this task. Hand it to stores that check who writes last. */
  readonly fence: number;
  /** From 1: how many runs, this one included, have spent an attempt. */
  readonly attempt: number;
  readonly crashes: number;
  /** Set once the task has fanned out: how its children ended. */
  readonly children: ChildrenView | null;
}

export interface TaskContext<Payload = Json> extends TaskDelivery<Payload> {
  /** Fires on cancel, time-out, a lost lease and the end of the grace period; its reason says which. */
  readonly signal: AbortSignal;
  /** Says how far the run is, 0 to 1. */
  progress(fraction: number): void;
}

export interface ChildTask {
  readonly type: string;
  readonly payload: Json;
  readonly timeoutMs?: number;
}

/** A run's result, with what should be counted (`pages: 3`) and how long it is kept. */
export interface Done<Value = Json> {
  readonly outcome: 'done';
  readonly value: Value | undefined;
  /** The value as JSON text already, where a thread made it so that the main one need not. */
  readonly json?: string;
  readonly counters: Readonly<Record<string, number>>;
  readonly resultMs: number | undefined;
}

/** The run hands its work to children; the task is run again when the last of them has ended. */
export interface FanOut {
  readonly outcome: 'fan_out';
  readonly children: readonly ChildTask[];
  /** A strict task becomes a dead letter (`child_failed`) when a child fails; a tolerant one, the default, runs again and is told. */
  readonly strict: boolean;
}

export type Outcome = Done | FanOut;

/** A handler may return a plain value, which is its result, or an outcome made by `done` or `fanOut`. */
export type Handler<Payload = Json, Result = Json> = (context: TaskContext<Payload>) => Promise<Result | Done<Result> | FanOut | undefined>;
/** A handler for each type of task; with a queue's task types, each knows its payload and its result. */
export type Handlers<Types extends TaskTypes = TaskTypes> = {
  readonly [Type in keyof Types]: Handler<Types[Type]['payload'], Types[Type]['result']>;
};

const OUTCOMES = new WeakSet<object>();
const NO_COUNTERS: Done['counters'] = Object.freeze({});

/**
 * A result with more to say. `counters`: whole numbers from 0 on; `resultMs`: whole milliseconds from 1 to ten years. What is none
 * fails the task for good, with `payload_invalid` or `invalid_request`.
 */
export function done<Value extends Json = Json>(
  value: Value | undefined,
  options: { counters?: Readonly<Record<string, number>>; resultMs?: number } = {},
): Done<Value> {
  const outcome: Done<Value> = { outcome: 'done', value, counters: options.counters ?? NO_COUNTERS, resultMs: options.resultMs };
  OUTCOMES.add(outcome);
  return outcome;
}

/**
 * One level deep: a child that fans out, and a family of none, fail their task for good (`payload_invalid`).
 */
export function fanOut(children: readonly ChildTask[], options: { strict?: boolean } = {}): FanOut {
  const outcome: FanOut = { outcome: 'fan_out', children, strict: options.strict ?? false };
  OUTCOMES.add(outcome);
  return outcome;
}

export function asOutcome(returned: Json | Outcome | undefined): Outcome {
  if (typeof returned === 'object' && returned !== null && OUTCOMES.has(returned)) return returned as Outcome;
  // Not through `done`: a plain value needs no mark.
  return { outcome: 'done', value: returned as Json | undefined, counters: NO_COUNTERS, resultMs: undefined };
}
