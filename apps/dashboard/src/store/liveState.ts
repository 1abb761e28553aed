import type { LiveDeadLetters, LiveOperation, LiveTask, QueueSnapshot } from '@galley/contract';
import type { LiveEvent } from '../api/live.ts';

/** One moment of the queue, kept to draw the last minutes finer than the server's minute points. */
export interface Moment {
  /** The server's time, ms since 1970. */
  readonly at: number;
  readonly snapshot: QueueSnapshot;
}

/** What the wire has told. */
export interface LiveState {
  readonly snapshot: QueueSnapshot | null;
  /** Oldest first; one each `MOMENT_SPACING_MS`, the newest always the last snapshot. */
  readonly moments: readonly Moment[];
  readonly deadLetters: LiveDeadLetters | null;
  /** The tasks this page watches, by id. */
  readonly tasks: Readonly<Record<string, LiveTask>>;
  readonly operations: Readonly<Record<string, LiveOperation>>;
}

export const MOMENT_SPACING_MS = 10_000;
/** A quarter of an hour. */
export const MOMENTS_KEPT = 90;

export const EMPTY_LIVE_STATE: LiveState = { snapshot: null, moments: [], deadLetters: null, tasks: {}, operations: {} };

function withMoment(moments: readonly Moment[], snapshot: QueueSnapshot): readonly Moment[] {
  const moment: Moment = { at: Date.parse(snapshot.at), snapshot };
  const settled = moments.at(-2);
  const newest = moments.at(-1);
  // The newest moment moves on until it stands a whole spacing after the one before it.
  const moving = settled !== undefined && newest !== undefined && newest.at - settled.at < MOMENT_SPACING_MS;
  const kept = moving ? moments.slice(0, -1) : moments;
  return [...kept, moment].slice(-MOMENTS_KEPT);
}

function applySnapshot(state: LiveState, snapshot: QueueSnapshot): LiveState {
  const before = state.snapshot;
  if (before !== null && before.queue === snapshot.queue && snapshot.at < before.at) return state;
  const sameQueue = before === null || before.queue === snapshot.queue;
  const deadLetters = state.deadLetters?.queue === snapshot.queue ? state.deadLetters : null;
  return { ...state, snapshot, moments: withMoment(sameQueue ? state.moments : [], snapshot), deadLetters };
}

/** Applies one event of the wire. Pure; answers the same state where the event is older than what is known. */
export function applyEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.kind) {
    case 'snapshot':
      return applySnapshot(state, event.snapshot);
    case 'task':
      return { ...state, tasks: { ...state.tasks, [event.task.task_id]: event.task } };
    case 'dead_letters':
      return state.snapshot !== null && state.snapshot.queue !== event.deadLetters.queue
        ? state
        : { ...state, deadLetters: event.deadLetters };
    case 'operation':
      return { ...state, operations: { ...state.operations, [event.operation.operation_id]: event.operation } };
  }
}

/** Forgets a task that nobody watches any more. */
export function forgetTask(state: LiveState, taskId: string): LiveState {
  if (!Object.hasOwn(state.tasks, taskId)) return state;
  const { [taskId]: _, ...tasks } = state.tasks;
  return { ...state, tasks };
}
