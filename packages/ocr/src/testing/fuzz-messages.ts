import * as z from 'zod/mini';

/** What the fuzz test and its process say to each other. */

export const fuzzOrderSchema = z.object({ file: z.string(), recognise: z.boolean(), cacheDirectory: z.string() });
export type FuzzOrder = z.infer<typeof fuzzOrderSchema>;

export const fuzzOutcomeSchema = z.object({
  /** `text`: it was read. `refused`: a permanent error with a code. `wrong`: anything else. */
  kind: z.enum(['text', 'refused', 'wrong']),
  detail: z.string(),
  /** The most that the process has had so far. */
  peakBytes: z.number(),
});
export type FuzzOutcome = z.infer<typeof fuzzOutcomeSchema>;
