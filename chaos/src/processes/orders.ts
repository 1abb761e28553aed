import { z } from 'zod';
import { actionSchema } from '../schedule/plan-work.ts';

/** What every process of a run is told. Times in milliseconds. */
const common = {
  /** Process and incarnation, `worker-1.3`. */
  by: z.string(),
  url: z.string(),
  queue: z.string(),
  historyDirectory: z.string(),
  settings: z.object({
    leaseMs: z.number(),
    crashBudget: z.number(),
    timeoutMs: z.number(),
    maxRetries: z.number(),
    timelines: z.boolean(),
  }),
};

export const workerOrderSchema = z.object({
  ...common,
  /** 0: the chores alone, as a server runs them. */
  slots: z.number(),
  /** In threads, or in the process itself. */
  threads: z.boolean(),
  reaperMs: z.number(),
  abortGraceMs: z.number(),
  graceMs: z.number(),
});
export type WorkerOrder = z.infer<typeof workerOrderSchema>;

export const producerOrderSchema = z.object({
  ...common,
  /** Milliseconds since the epoch that the schedule counts from. */
  startedAt: z.number(),
  /** A file of its actions as JSON, since they are too many for a command line. */
  actionsFile: z.string(),
});
export type ProducerOrder = z.infer<typeof producerOrderSchema>;
export const actionsSchema = z.array(actionSchema);

/** What a process hears while it runs. */
export const commandSchema = z.object({ kind: z.literal('step-clock'), byMs: z.number() });
export type Command = z.infer<typeof commandSchema>;

/** What it says: that it serves, and that it has done all it had to. */
export const wordSchema = z.enum(['ready', 'finished']);
export type Word = z.infer<typeof wordSchema>;
