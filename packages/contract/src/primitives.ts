import * as z from 'zod/mini';
import { QUEUE_NAME, TASK_ID } from './names.ts';

/** A date that no calendar has, such as the 30th of February, is none: read on, it would be another date or no limit at all. */
function isTimestamp(text: string): boolean {
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === text;
}

/** ISO-8601 UTC with milliseconds, `2026-11-30T14:31:54.123Z`. */
export const timestampSchema = z
  .string()
  .check(
    z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'a timestamp is ISO-8601 UTC with milliseconds'),
    z.refine(isTimestamp, 'a timestamp is a date that the calendar has'),
  );

export const countSchema = z.int().check(z.minimum(0));
export const millisecondsSchema = z.int().check(z.minimum(0));
export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 lower-case hex digits'));
export const shardSchema = z.string().check(z.regex(/^\d{2,4}$/));

export const queueNameSchema = z.string().check(z.regex(QUEUE_NAME, 'a queue name is lower-case letters, digits and dashes, at most 32'));

export const taskIdSchema = z.string().check(z.regex(TASK_ID, 'not a task id'));
