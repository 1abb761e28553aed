import type { HistoryEvent } from '../history/events.ts';
import type { Setting } from '../run/setting.ts';
import type { FinalState } from './final-state.ts';

/** All that the checker gets to see: what everybody was told, and what Redis holds when all is over. */
export interface Evidence {
  /** By time. */
  readonly history: readonly HistoryEvent[];
  readonly final: FinalState;
  /** Whether nothing was left to run in the end. */
  readonly atRest: boolean;
  readonly setting: Setting;
}

export const PROMISES = ['P1', 'P2', 'P3', 'P5', 'P6', 'P9', 'P12'] as const;
export type PromiseName = (typeof PROMISES)[number];

/** A promise that was not kept. */
export interface Finding {
  readonly promise: PromiseName;
  readonly task: string | null;
  readonly says: string;
}
