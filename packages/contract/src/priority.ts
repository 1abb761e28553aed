import * as z from 'zod/mini';

/** Lower runs first. */
export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 1000;

export const PRIORITY_PRESETS = { urgent: 1, high: 10, normal: 100, bulk: 1000 } as const;
export type PriorityPreset = keyof typeof PRIORITY_PRESETS;

export const DEFAULT_PRIORITY = PRIORITY_PRESETS.normal;

/** The bands a priority falls in: urgent 1–9, high 10–99, normal 100–999, bulk 1000. */
export const PRIORITY_BANDS = ['urgent', 'high', 'normal', 'bulk'] as const satisfies PriorityPreset[];
export type PriorityBand = (typeof PRIORITY_BANDS)[number];

export function bandOf(priority: number): PriorityBand {
  if (priority < PRIORITY_PRESETS.high) return 'urgent';
  if (priority < PRIORITY_PRESETS.normal) return 'high';
  if (priority < PRIORITY_PRESETS.bulk) return 'normal';
  return 'bulk';
}

const PRIORITY_RULE = `priority must be an integer from ${PRIORITY_MIN} to ${PRIORITY_MAX}, or urgent, high, normal or bulk`;
/** A priority as stored and answered: an integer. */
export const prioritySchema = z.int(PRIORITY_RULE).check(z.minimum(PRIORITY_MIN, PRIORITY_RULE), z.maximum(PRIORITY_MAX, PRIORITY_RULE));

/** A preset's name or digits → the number; what is neither → NaN, which no priority is. */
function readPriority(written: string | number): number {
  if (typeof written === 'number') return written;
  if (Object.hasOwn(PRIORITY_PRESETS, written)) return PRIORITY_PRESETS[written as PriorityPreset];
  return /^\d{1,4}$/.test(written) ? Number(written) : Number.NaN;
}

/** A priority as a caller may write it: an integer, its digits (in forms and queries), or a preset's name. */
export const priorityInputSchema = z.pipe(
  z.union([z.number(), z.string()], PRIORITY_RULE),
  z.pipe(z.transform(readPriority), prioritySchema),
);
