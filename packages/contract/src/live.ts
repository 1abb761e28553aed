import * as z from 'zod/mini';
import { countSchema, queueNameSchema, taskIdSchema } from './primitives.ts';
import { queueSnapshotSchema } from './queue.ts';
import { pageStateSchema, taskSchema } from './task.ts';

/** The socket.io namespace of the live stream. */
export const LIVE_NAMESPACE = '/live';

/** `task`: a watched task with its pages. */
export const liveTaskSchema = z.extend(taskSchema, { page_states: z.optional(z.array(pageStateSchema)) });
export type LiveTask = z.infer<typeof liveTaskSchema>;

export const liveDeadLettersSchema = z.object({ queue: z.string(), total: countSchema, by_code: z.record(z.string(), countSchema) });
export type LiveDeadLetters = z.infer<typeof liveDeadLettersSchema>;

export const liveOperationSchema = z.object({
  operation_id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  done: countSchema,
  total: countSchema,
});
export type LiveOperation = z.infer<typeof liveOperationSchema>;

/** What the server sends, by event name. */
export const SERVER_EVENTS = {
  snapshot: queueSnapshotSchema,
  task: liveTaskSchema,
  dead_letters: liveDeadLettersSchema,
  operation: liveOperationSchema,
} as const;

/** What a client may send, by event name. `follow` chooses the queue whose snapshots it gets. */
export const CLIENT_EVENTS = {
  watch: z.strictObject({ task_id: taskIdSchema }),
  unwatch: z.strictObject({ task_id: taskIdSchema }),
  follow: z.strictObject({ queue: queueNameSchema }),
} as const;

export type ServerEventName = keyof typeof SERVER_EVENTS;
export type ClientEventName = keyof typeof CLIENT_EVENTS;
