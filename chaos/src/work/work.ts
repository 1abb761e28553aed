import { z } from 'zod';

/**
 * What a task of each type does. Misbehaving ones misbehave as long as their fence is at most `untilFence`, and then return:
 * so what becomes of a task follows from the schedule and not from chance at run time.
 */
export const WORK_TYPES = [
  'quick',
  'slow',
  'exclusive',
  'block',
  'deaf',
  'transient',
  'deferred',
  'permanent',
  'thread-death',
  'killer',
  'parent',
] as const;
export type WorkType = (typeof WORK_TYPES)[number];

/** A task's payload. `ms`: how long it works; `label`: the schedule's name of the task. */
export const workSchema = z.object({
  label: z.string(),
  ms: z.number().int(),
  untilFence: z.number().int(),
  /** Of a parent: the types of its children, and whether a failed one fails it. */
  children: z.array(z.enum(WORK_TYPES)).default([]),
  strict: z.boolean().default(false),
});
export type Work = z.infer<typeof workSchema>;

/** What a run that returned has left in Redis. */
export const workResultSchema = z.object({ fence: z.number(), by: z.string(), label: z.string() });
