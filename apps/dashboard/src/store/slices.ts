import type { Role, Session } from '@galley/contract';
import type { StateCreator } from 'zustand';
import type { LiveEvent, WireStatus } from '../api/live.ts';
import { type Freshness, freshnessOf, nextClockOffset } from './freshness.ts';
import { applyEvent, EMPTY_LIVE_STATE, forgetTask, type LiveState } from './liveState.ts';
import { type Preferences, readPreferences, writePreferences } from './preferences.ts';
import { allSelected, extendedTo, NO_SELECTION, type Selection, toggled } from './selectionState.ts';

export interface ConnectionSlice {
  readonly connection: {
    readonly wire: WireStatus;
    readonly freshness: Freshness;
    readonly startedAt: number;
    /** This browser's clock, ms. */
    readonly lastSnapshotAt: number | null;
    /** Server time minus this browser's, ms; null until the first snapshot. */
    readonly clockOffset: number | null;
    /** The server said that it cannot reach Redis; true until the next snapshot. */
    readonly redisAway: boolean;
  };
  redisRefused(): void;
  wireChanged(status: WireStatus): void;
  /** Looks at the clock; the wire calls it twice a second. */
  freshnessChecked(now: number): void;
}

export interface LiveSlice {
  readonly live: LiveState;
  received(event: LiveEvent, now: number): void;
  taskForgotten(taskId: string): void;
}

/** `signedOut`: the server wants a token first. */
export type SessionStatus = 'unknown' | 'open' | 'signedOut' | 'unreachable';

export interface SessionSlice {
  readonly session: {
    readonly status: SessionStatus;
    readonly role: Role;
    readonly userId: string | null;
    readonly authenticated: boolean;
  };
  sessionRead(session: Session): void;
  sessionEnded(status: 'signedOut' | 'unreachable'): void;
}

export interface PreferencesSlice {
  readonly preferences: Preferences;
  preferred(change: Partial<Preferences>): void;
}

export interface QueueSlice {
  /** The queue that every page shows; the URL's `queue` is its source. */
  readonly queue: string;
  readonly queues: readonly { readonly queue: string; readonly live: number; readonly paused: boolean }[];
  queueChosen(queue: string): void;
  queuesRead(queues: QueueSlice['queues']): void;
}

export interface SelectionSlice {
  /** By the list's name. */
  readonly selections: Readonly<Record<string, Selection>>;
  selectionToggled(list: string, id: string): void;
  selectionExtended(list: string, id: string, shown: readonly string[]): void;
  selectionOfAll(list: string, shown: readonly string[]): void;
  selectionSet(list: string, selection: Selection): void;
  selectionCleared(list: string): void;
}

/** A long piece of work that the server does and this page follows, across pages, until it ends. */
export interface TrackedOperation {
  readonly operationId: string;
  /** What it does, such as "Retrying dead letters". */
  readonly label: string;
  /** Called once, when it has ended. */
  readonly onEnd: (outcome: { readonly state: 'done' | 'failed'; readonly done: number; readonly total: number }) => void;
}

export interface OperationsSlice {
  readonly tracked: readonly TrackedOperation[];
  operationTracked(operation: TrackedOperation): void;
  operationDropped(operationId: string): void;
}

export interface AnnouncerSlice {
  /** Sentences that the polite region has not spoken yet. */
  readonly announcements: readonly string[];
  announced(sentence: string): void;
  announcementsSpoken(count: number): void;
}

export type State = ConnectionSlice &
  LiveSlice &
  SessionSlice &
  PreferencesSlice &
  QueueSlice &
  SelectionSlice &
  OperationsSlice &
  AnnouncerSlice;
type Slice<T> = StateCreator<State, [], [], T>;

export const connectionSlice: Slice<ConnectionSlice> = (set) => ({
  connection: {
    wire: { kind: 'connecting' },
    freshness: 'connecting',
    startedAt: Date.now(),
    lastSnapshotAt: null,
    clockOffset: null,
    redisAway: false,
  },
  redisRefused: () => set(({ connection }) => (connection.redisAway ? {} : { connection: { ...connection, redisAway: true } })),
  wireChanged: (wire) => set(({ connection }) => ({ connection: { ...connection, wire } })),
  freshnessChecked: (now) =>
    set((state) => {
      const freshness = freshnessOf(state.connection.lastSnapshotAt, state.connection.startedAt, now);
      return freshness === state.connection.freshness ? state : { connection: { ...state.connection, freshness } };
    }),
});

export const liveSlice: Slice<LiveSlice> = (set) => ({
  live: EMPTY_LIVE_STATE,
  received: (event, now) =>
    set(({ live, connection }) => {
      const next = { live: applyEvent(live, event) };
      if (event.kind !== 'snapshot') return next;
      const clockOffset = nextClockOffset(connection.clockOffset, event.snapshot.at, now);
      return { ...next, connection: { ...connection, freshness: 'live', lastSnapshotAt: now, clockOffset, redisAway: false } };
    }),
  taskForgotten: (taskId) => set(({ live }) => ({ live: forgetTask(live, taskId) })),
});

export const sessionSlice: Slice<SessionSlice> = (set) => ({
  session: { status: 'unknown', role: 'viewer', userId: null, authenticated: false },
  sessionRead: (session) =>
    set({ session: { status: 'open', role: session.role, userId: session.user_id, authenticated: session.authenticated } }),
  sessionEnded: (status) => set(({ session }) => ({ session: { ...session, status } })),
});

export const preferencesSlice: Slice<PreferencesSlice> = (set) => ({
  preferences: readPreferences(),
  preferred: (change) =>
    set((state) => {
      const preferences = { ...state.preferences, ...change };
      writePreferences(preferences);
      return { preferences };
    }),
});

export const DEFAULT_QUEUE = 'ocr';

export const queueSlice: Slice<QueueSlice> = (set) => ({
  queue: DEFAULT_QUEUE,
  queues: [],
  queueChosen: (queue) =>
    set((state) => (state.queue === queue ? state : { queue, live: { ...EMPTY_LIVE_STATE, operations: state.live.operations } })),
  queuesRead: (queues) => set({ queues }),
});

export const selectionSlice: Slice<SelectionSlice> = (set) => {
  const change = (list: string, next: (selection: Selection) => Selection): void =>
    set(({ selections }) => ({ selections: { ...selections, [list]: next(selections[list] ?? NO_SELECTION) } }));
  return {
    selections: {},
    selectionToggled: (list, id) => change(list, (selection) => toggled(selection, id)),
    selectionExtended: (list, id, shown) => change(list, (selection) => extendedTo(selection, id, shown)),
    selectionOfAll: (list, shown) => change(list, (selection) => allSelected(selection, shown)),
    selectionSet: (list, selection) => change(list, () => selection),
    selectionCleared: (list) => change(list, () => NO_SELECTION),
  };
};

export const operationsSlice: Slice<OperationsSlice> = (set) => ({
  tracked: [],
  operationTracked: (operation) => set(({ tracked }) => ({ tracked: [...tracked, operation] })),
  operationDropped: (operationId) =>
    set(({ tracked }) => ({ tracked: tracked.filter((operation) => operation.operationId !== operationId) })),
});

export const announcerSlice: Slice<AnnouncerSlice> = (set) => ({
  announcements: [],
  announced: (sentence) =>
    set(({ announcements }) => ({ announcements: [...announcements.filter((one) => one !== sentence), sentence].slice(-5) })),
  announcementsSpoken: (count) => set(({ announcements }) => ({ announcements: announcements.slice(count) })),
});
