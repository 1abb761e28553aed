import * as z from 'zod/mini';
import { taskIdSchema, timestampSchema } from './primitives.ts';
import { taskSchema } from './task.ts';

/** The queue of callbacks: each is a task of its own, with retries and dead letters like any other. */
export const CALLBACK_QUEUE = 'callbacks';
export const CALLBACK_TASK = 'callback';

export const CALLBACK_EVENTS = ['task.completed', 'task.cancelled', 'task.dead_letter'] as const;

/** What is posted to a `callback_url`, as JSON. */
export const callbackBodySchema = z.object({
  event: z.enum(CALLBACK_EVENTS),
  /** When the task was found to have ended. */
  at: timestampSchema,
  /** The task as `GET /api/v1/tasks/:id` answers it, with its last error alone. */
  task: taskSchema,
});
export type CallbackBody = z.infer<typeof callbackBodySchema>;

/** Payload of a `callback` task. */
export const callbackPayloadSchema = z.object({ url: z.string(), task_id: taskIdSchema, body: callbackBodySchema });
export type CallbackPayload = z.infer<typeof callbackPayloadSchema>;

/** `t=<Unix seconds>,v1=<hex>`, where v1 is HMAC-SHA-256 with the secret over `<t>.<body as sent>`. */
export const CALLBACK_SIGNATURE_HEADER = 'galley-signature';
export const CALLBACK_EVENT_HEADER = 'galley-event';
/** The id of the callback's own task: the same at each try, so that a receiver knows what it has had. */
export const CALLBACK_DELIVERY_HEADER = 'galley-delivery';

/** Shorter secrets can be guessed. */
export const CALLBACK_SECRET_LENGTH = 16;
