import * as z from 'zod/mini';
import { countSchema, sha256Schema, taskIdSchema, timestampSchema } from './primitives.ts';
import { prioritySchema } from './priority-schema.ts';
import { engineSchema } from './result.ts';
import { TASK_STATES } from './states.ts';

export const taskStateSchema = z.enum(TASK_STATES);

/** One run that ended in an error, newest last. */
export const taskErrorSchema = z.object({
  at: timestampSchema,
  code: z.string(),
  message: z.string(),
  /** The attempt it ended, from 1; 0 for a crash or a hand-back. */
  attempt: countSchema,
  stack: z.optional(z.string()),
});
export type TaskError = z.infer<typeof taskErrorSchema>;

export const pageCountsSchema = z.object({ total: countSchema, done: countSchema, failed: countSchema });

export const taskSchema = z.object({
  task_id: taskIdSchema,
  queue: z.string(),
  type: z.string(),
  status: taskStateSchema,
  priority: prioritySchema,
  user_id: z.optional(z.string()),
  filename: z.optional(z.string()),
  /** SHA-256 of the uploaded file. */
  sha256: z.optional(sha256Schema),
  size_bytes: z.optional(countSchema),
  engine: z.optional(engineSchema),
  parent_id: z.optional(taskIdSchema),
  page: z.optional(z.int()),
  created_at: timestampSchema,
  /** Start of the last run. */
  started_at: z.optional(timestampSchema),
  finished_at: z.optional(timestampSchema),
  /** When a scheduled or retrying task is due. */
  due_at: z.optional(timestampSchema),
  attempts: countSchema,
  crashes: countSchema,
  max_retries: countSchema,
  progress: z.number().check(z.minimum(0), z.maximum(1)),
  pages: z.optional(pageCountsSchema),
  worker_id: z.optional(z.string()),
  fence: countSchema,
  lease_expires_at: z.optional(timestampSchema),
  /** Place in line, from 1, over all shards; only on a pending task read by itself. */
  position: z.optional(z.int().check(z.minimum(1))),
  errors: z.array(taskErrorSchema),
  result_expires_at: z.optional(timestampSchema),
});
export type Task = z.infer<typeof taskSchema>;

export const taskListSchema = z.object({
  tasks: z.array(taskSchema),
  next_cursor: z.nullable(z.string()),
  total: z.nullable(countSchema),
});
export type TaskList = z.infer<typeof taskListSchema>;

/** Steps of a task's timeline, one per verb. */
export const TASK_EVENTS = [
  'submitted',
  'claimed',
  'renewed',
  'fanned_out',
  'completed',
  'failed',
  'released',
  'cancelled',
  'promoted',
  'reaped',
  'dead_lettered',
  'revived',
  'reprioritized',
  'children_finished',
] as const;

export const taskEventSchema = z.object({
  at: timestampSchema,
  event: z.enum(TASK_EVENTS),
  /** The fence of the run it belongs to. */
  run: z.optional(countSchema),
  worker_id: z.optional(z.string()),
  fence: z.optional(countSchema),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
});
export type TaskEvent = z.infer<typeof taskEventSchema>;

/** One line of a timeline as it is stored: `at` in milliseconds of Redis's clock. */
export const storedTaskEventSchema = z.extend(taskEventSchema, { at: countSchema });
export type StoredTaskEvent = z.infer<typeof storedTaskEventSchema>;

export const taskEventsSchema = z.object({ events: z.array(taskEventSchema) });

/** The pages of a document and how far each is. */
export const pageStateSchema = z.object({
  page: z.int().check(z.minimum(1)),
  status: taskStateSchema,
  task_id: taskIdSchema,
  /** When its last run began and ended, where the page is a task of its own. */
  started_at: z.optional(timestampSchema),
  finished_at: z.optional(timestampSchema),
  /** Size of the picture, where the page has been read. */
  width: z.optional(countSchema),
  height: z.optional(countSchema),
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
});
export const pageListSchema = z.object({
  task_id: taskIdSchema,
  total: z.nullable(countSchema),
  pages: z.array(pageStateSchema),
  /** What a person should know about how the document was read; once it has been. */
  warnings: z.optional(z.array(z.string())),
});
export type PageList = z.infer<typeof pageListSchema>;
export type PageState = z.infer<typeof pageStateSchema>;

/** A result asked for before the document is finished. */
export const partialResultSchema = z.object({
  task_id: taskIdSchema,
  status: taskStateSchema,
  pages_done: countSchema,
  pages_total: z.nullable(countSchema),
  pages: z.array(z.unknown()),
});

export const acceptedTaskSchema = z.object({
  task_id: taskIdSchema,
  status: taskStateSchema,
  priority: prioritySchema,
  created_at: timestampSchema,
  duplicate: z.boolean(),
});
export type AcceptedTask = z.infer<typeof acceptedTaskSchema>;

export const acceptedDocumentSchema = z.extend(acceptedTaskSchema, { filename: z.string(), sha256: sha256Schema });
export type AcceptedDocument = z.infer<typeof acceptedDocumentSchema>;

export const rejectedFileSchema = z.object({ filename: z.string(), code: z.string(), detail: z.string() });
export const submitDocumentsSchema = z.object({ documents: z.array(acceptedDocumentSchema), rejected: z.array(rejectedFileSchema) });
export type SubmitDocuments = z.infer<typeof submitDocumentsSchema>;

export const rejectedTaskSchema = z.object({ index: countSchema, code: z.string(), detail: z.string() });
export const submitTasksSchema = z.object({ tasks: z.array(acceptedTaskSchema), rejected: z.array(rejectedTaskSchema) });

export const deadLetterListSchema = z.object({
  tasks: z.array(taskSchema),
  next_cursor: z.nullable(z.string()),
  total: countSchema,
  by_code: z.record(z.string(), z.object({ count: countSchema, per_hour: z.array(countSchema) })),
});
export type DeadLetterList = z.infer<typeof deadLetterListSchema>;

export const retryAnswerSchema = z.object({
  retried: countSchema,
  skipped: z.array(z.object({ task_id: z.string(), code: z.string() })),
});
export const purgeAnswerSchema = z.object({
  purged: countSchema,
  skipped: z.array(z.object({ task_id: z.string(), code: z.string() })),
});

export const operationStartedSchema = z.object({ operation_id: z.string() });
export const operationSchema = z.object({
  operation_id: z.string(),
  action: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  done: countSchema,
  total: countSchema,
  /** Tasks the operation met but left as they were. */
  skipped: countSchema,
  error: z.optional(z.string()),
  created_at: timestampSchema,
});
export type Operation = z.infer<typeof operationSchema>;
