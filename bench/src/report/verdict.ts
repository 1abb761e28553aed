import type { Spread } from '../statistics.ts';

/** The columns of the table: with lock keys and results, without, or one figure for both. */
export type Column = 'with' | 'without' | 'both';

/** One floor of the table, and what was measured against it. */
export interface Verdict {
  readonly measure: string;
  readonly column: Column;
  readonly floor: string;
  readonly measured: string;
  readonly passed: boolean;
  /** How far from the floor, in per cent of it; positive is better. */
  readonly margin: number;
}

export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface Findings {
  readonly verdicts: readonly Verdict[];
  readonly sections: readonly Section[];
}

interface Floor {
  readonly measure: string;
  readonly column: Column;
  readonly floor: number;
  readonly unit: string;
}

export function figure(value: number): string {
  if (!Number.isFinite(value)) return 'none';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export function withRange({ median, low, high }: Spread, unit: string): string {
  return `${figure(median)}${unit} (${figure(low)}–${figure(high)})`;
}

/** More is better. */
export function atLeast({ measure, column, floor, unit }: Floor, value: Spread): Verdict {
  return {
    measure,
    column,
    floor: `≥ ${floor}${unit}`,
    measured: withRange(value, unit),
    passed: value.median >= floor,
    margin: (value.median / floor - 1) * 100,
  };
}

/** Less is better. */
export function atMost({ measure, column, floor, unit }: Floor, value: Spread): Verdict {
  return {
    measure,
    column,
    floor: `≤ ${floor}${unit}`,
    measured: withRange(value, unit),
    passed: value.median <= floor,
    margin: floor === 0 ? 0 : (1 - value.median / floor) * 100,
  };
}
