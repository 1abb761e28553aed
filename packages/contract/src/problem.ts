import * as z from 'zod/mini';

/** RFC 9457 problem details, with Galley's stable `code`. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.optional(z.string()),
  remedy: z.optional(z.string()),
  request_id: z.optional(z.string()),
});
export type Problem = z.infer<typeof problemSchema>;
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';
