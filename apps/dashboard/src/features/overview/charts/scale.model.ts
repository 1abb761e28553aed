/** The top of a y axis and the round numbers on it. */
export interface Scale {
  readonly top: number;
  readonly ticks: readonly number[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Round halves of an axis of time. */
const TIME_STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((value) => value * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((value) => value * MINUTE),
  ...[1, 2, 4, 6, 12, 24, 48, 96].map((value) => value * HOUR),
];

function countStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  // 1.25 of a hundred and more is round on an axis (125, 250, 375); of less it is a fraction.
  const mantissas = power >= 100 ? [1, 1.25, 2, 2.5, 5, 10] : [1, 2, power >= 10 ? 2.5 : 3, 5, 10];
  return (mantissas.find((mantissa) => mantissa * power >= least) ?? 10) * power;
}

/** Five ticks from 0 to a round top at or over `most`. */
export function countScale(most: number): Scale {
  const step = countStep(most / 4);
  return { top: step * 4, ticks: [0, 1, 2, 3, 4].map((index) => index * step) };
}

/** Three ticks from 0 to a round top at or over `most` ms. */
export function timeScale(most: number): Scale {
  const step = TIME_STEPS.find((value) => value * 2 >= most) ?? Math.ceil(most / 2 / HOUR) * HOUR;
  return { top: step * 2, ticks: [0, step, step * 2] };
}

export interface Hold {
  readonly scale: Scale;
  /** Since when the data would fit under half the top, ms; null while it does not. */
  readonly lowSince: number | null;
}

const LOW_FOR_MS = 60_000;

/** The top moves only when data passes it, or has stayed under half of it for 60 s: an axis that jumps cannot be read. */
export function heldScale(hold: Hold | null, most: number, now: number, scaleOf: (most: number) => Scale): Hold {
  if (hold === null || most > hold.scale.top) return { scale: scaleOf(most), lowSince: null };
  if (most >= hold.scale.top / 2) return hold.lowSince === null ? hold : { scale: hold.scale, lowSince: null };
  if (hold.lowSince === null) return { scale: hold.scale, lowSince: now };
  return now - hold.lowSince < LOW_FOR_MS ? hold : { scale: scaleOf(most), lowSince: null };
}
