import * as z from 'zod/mini';
import { queueNameSchema, timestampSchema } from './primitives.ts';
import { priorityInputSchema } from './priority-schema.ts';
import { ENGINES, RESULT_FORMATS } from './result.ts';
import { TASK_STATES } from './states.ts';

/** Engines a caller may ask for; `auto` takes a PDF page's text layer where it is sound, else the default engine. */
export const REQUEST_ENGINES = ['auto', ...ENGINES] as const;
export const requestEngineSchema = z.enum(REQUEST_ENGINES);
export type RequestEngine = z.infer<typeof requestEngineSchema>;

export const FILES_PER_REQUEST = 100;
export const TASKS_PER_BATCH = 10_000;
export const IDS_PER_ACTION = 1_000;
export const LIST_LIMIT_MAX = 200;

export const userIdSchema = z.string().check(z.regex(/^[\w.@:-]{1,128}$/, 'a user id is 1 to 128 letters, digits or . _ @ : -'));

const formBoolean = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0'])]),
  z.transform((value): boolean => value === true || value === 'true' || value === '1'),
);

/** The C0 and C1 sets, which no field of one line has. */
const CONTROL_FREE = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** Kept with the task and shown to whoever may see it, so it must carry no password. */
const webUrl = z.string().check(
  z.maxLength(2048),
  z.regex(/^https?:\/\//i, 'must be an http or https URL'),
  z.regex(/^https?:\/\/[^/?#@]*([/?#]|$)/i, 'must not carry a user name or password'),
  z.regex(CONTROL_FREE, 'must not have control characters'),
  z.refine((text) => URL.canParse(text), 'must be a URL that can be read'),
);

/** The fields beside the files of `POST /api/v1/documents`. */
export const documentFieldsSchema = z.strictObject({
  priority: z.optional(priorityInputSchema),
  user_id: z.optional(userIdSchema),
  engine: z.optional(requestEngineSchema),
  dedupe: z.optional(formBoolean),
  callback_url: z.optional(webUrl),
});
export type DocumentFields = z.infer<typeof documentFieldsSchema>;

export const taskRequestSchema = z.strictObject({
  image_url: webUrl,
  user_id: z.optional(userIdSchema),
  priority: z.optional(priorityInputSchema),
  delay_ms: z.optional(z.int().check(z.minimum(0), z.maximum(365 * 86_400_000))),
  dedupe: z.optional(z.boolean()),
  engine: z.optional(requestEngineSchema),
  max_retries: z.optional(z.int().check(z.minimum(0), z.maximum(100))),
  timeout_ms: z.optional(z.int().check(z.minimum(100), z.maximum(86_400_000))),
  concurrency_key: z.optional(
    z.string().check(z.minLength(1), z.maxLength(128), z.regex(CONTROL_FREE, 'must not have control characters')),
  ),
  callback_url: z.optional(webUrl),
});
export type TaskRequest = z.infer<typeof taskRequestSchema>;

/** The envelope of a batch; each entry is parsed by itself, so that one bad entry rejects only itself. */
export const taskBatchRequestSchema = z.strictObject({ tasks: z.array(z.unknown()).check(z.minLength(1), z.maxLength(TASKS_PER_BATCH)) });

const stateList = z.pipe(
  z.string(),
  z.pipe(
    z.transform((value: string) => value.split(',').filter(Boolean)),
    z.array(z.enum(TASK_STATES)).check(z.minLength(1)),
  ),
);

/** Filters that the task list and bulk actions share. */
export const taskFilterFields = {
  queue: z.optional(queueNameSchema),
  type: z.optional(z.string().check(z.regex(/^[a-z][a-z_-]{0,31}$/))),
  user_id: z.optional(userIdSchema),
  priority: z.optional(priorityInputSchema),
  engine: z.optional(requestEngineSchema),
  since: z.optional(timestampSchema),
  until: z.optional(timestampSchema),
  q: z.optional(z.string().check(z.maxLength(200))),
};

const limitSchema = z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(LIST_LIMIT_MAX)));

export const taskListQuerySchema = z.strictObject({
  ...taskFilterFields,
  status: z.optional(stateList),
  order: z.optional(z.enum(['newest', 'oldest'])),
  cursor: z.optional(z.string().check(z.maxLength(512))),
  limit: limitSchema,
});
export type TaskListQuery = z.infer<typeof taskListQuerySchema>;

export const deadLetterQuerySchema = z.strictObject({
  queue: z.optional(queueNameSchema),
  code: z.optional(z.string().check(z.maxLength(64))),
  cursor: z.optional(z.string().check(z.maxLength(512))),
  limit: limitSchema,
});

export const queueQuerySchema = z.strictObject({ queue: z.optional(queueNameSchema) });
export const historyQuerySchema = z.strictObject({
  queue: z.optional(queueNameSchema),
  range: z.optional(z.enum(['15m', '1h', '6h', '24h'])),
});
export const resultQuerySchema = z.strictObject({ format: z.optional(z.enum(RESULT_FORMATS)) });

export const priorityRequestSchema = z.strictObject({ priority: priorityInputSchema });

const idsSchema = z.strictObject({
  task_ids: z.array(z.string().check(z.maxLength(128))).check(z.minLength(1), z.maxLength(IDS_PER_ACTION)),
});
const allSchema = z.strictObject({
  all: z.literal(true),
  code: z.optional(z.string().check(z.maxLength(64))),
  queue: z.optional(queueNameSchema),
});
export const deadLetterActionSchema = z.union(
  [idsSchema, allSchema],
  `send {"task_ids": [1 to ${IDS_PER_ACTION} ids]}, or {"all": true} with "code" and "queue" where they are wanted`,
);
export type DeadLetterAction = z.infer<typeof deadLetterActionSchema>;

export const TASK_ACTIONS = ['cancel', 'retry', 'purge', 'reprioritize'] as const;
export const taskActionSchema = z.strictObject({
  action: z.enum(TASK_ACTIONS),
  filter: z.strictObject({
    ...taskFilterFields,
    status: z.optional(z.array(z.enum(TASK_STATES))),
    task_ids: z.optional(z.array(z.string()).check(z.maxLength(IDS_PER_ACTION))),
  }),
  priority: z.optional(priorityInputSchema),
});
export type TaskAction = z.infer<typeof taskActionSchema>;

export const sessionRequestSchema = z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(512)) });
export const ROLES = ['viewer', 'user', 'admin'] as const;
export type Role = (typeof ROLES)[number];
export const sessionSchema = z.object({ role: z.enum(ROLES), user_id: z.nullable(z.string()), authenticated: z.boolean() });
export type Session = z.infer<typeof sessionSchema>;
