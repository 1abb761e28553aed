import * as z from 'zod/mini';
import { countSchema, timestampSchema } from './primitives.ts';
import { ROLES, requestEngineSchema } from './requests.ts';
import { RESULT_FORMATS } from './result.ts';

/** One thing an admin did. */
export const auditEntrySchema = z.object({
  at: timestampSchema,
  /** Null where no tokens are configured. */
  user_id: z.nullable(z.string()),
  role: z.enum(ROLES),
  action: z.string(),
  detail: z.string(),
  /** How many tasks it was about, where that is known. */
  count: z.optional(countSchema),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export const auditListSchema = z.object({ entries: z.array(auditEntrySchema) });
export type AuditList = z.infer<typeof auditListSchema>;

export const healthSchema = z.object({ status: z.literal('ok') });

export const readinessSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  /** Why it is not ready. */
  reason: z.optional(z.string()),
  redis: z.enum(['up', 'away']),
  /** What `engine` may be in a request. */
  engines: z.array(requestEngineSchema),
  /** What `format` may be of a result; the others of the contract are answered with 501. */
  formats: z.array(z.enum(RESULT_FORMATS)),
  version: z.string(),
});
export type Readiness = z.infer<typeof readinessSchema>;
