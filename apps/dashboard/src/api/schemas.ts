import { operationStartedSchema, pageResultSchema, purgeAnswerSchema, retryAnswerSchema, taskStateSchema } from '@galley/contract';
import * as z from 'zod/mini';

export {
  alertThresholdsSchema,
  auditListSchema,
  deadLetterListSchema,
  documentResultSchema,
  historySchema,
  operationSchema,
  operationStartedSchema,
  pageListSchema,
  pageResultSchema,
  queueNamesSchema,
  queueSnapshotSchema,
  readinessSchema,
  sessionSchema,
  submitDocumentsSchema,
  systemSchema,
  taskEventsSchema,
  taskListSchema,
  taskSchema,
  workerListSchema,
} from '@galley/contract';

/** By ids the counts come back at once; for all, an operation. */
export const retrySchema = z.union([retryAnswerSchema, operationStartedSchema]);
export const purgeSchema = z.union([purgeAnswerSchema, operationStartedSchema]);

/** A result asked for while its document is still being read. */
export const partialResultSchema = z.object({
  status: taskStateSchema,
  pages_done: z.number(),
  pages_total: z.nullable(z.number()),
  pages: z.array(pageResultSchema),
});
