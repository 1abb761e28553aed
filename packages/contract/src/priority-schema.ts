import * as z from 'zod/mini';
import { PRIORITY_MAX, PRIORITY_MIN, PRIORITY_PRESETS, type PriorityPreset } from './priority.ts';

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
