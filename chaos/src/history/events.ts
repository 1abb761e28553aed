import { z } from 'zod';
import { WORK_TYPES } from '../work/work.ts';

/** `at`: milliseconds since the epoch of this machine, which is Redis's clock too; `by`: process and incarnation, `worker-1.3`. */
const line = { at: z.number(), by: z.string() };
const run = { ...line, task: z.string(), fence: z.number() };

/** Everything that anybody was told, and what was done to whom. One line of JSON each. */
export const historyEventSchema = z.discriminatedUnion('event', [
  // What producers asked for and were answered.
  z.object({
    ...line,
    event: z.literal('submit asked'),
    label: z.string(),
    type: z.enum(WORK_TYPES),
    priority: z.number(),
    delayMs: z.number(),
    identity: z.string().nullable(),
  }),
  z.object({ ...line, event: z.literal('submit answered'), label: z.string(), task: z.string(), duplicate: z.boolean() }),
  z.object({ ...line, event: z.literal('submit refused'), label: z.string(), detail: z.string() }),
  z.object({ ...line, event: z.literal('cancel asked'), task: z.string() }),
  z.object({ ...line, event: z.literal('cancel answered'), task: z.string(), word: z.string(), state: z.string().nullable() }),
  z.object({ ...line, event: z.literal('revive asked'), task: z.string() }),
  z.object({ ...line, event: z.literal('revive answered'), task: z.string(), word: z.string() }),
  z.object({ ...line, event: z.literal('reprioritize asked'), task: z.string(), priority: z.number() }),
  z.object({ ...line, event: z.literal('reprioritize answered'), task: z.string(), word: z.string() }),
  // What handlers met, written in their own thread.
  z.object({ ...run, event: z.literal('run started'), type: z.string(), attempt: z.number(), crashes: z.number() }),
  z.object({ ...run, event: z.literal('run aborted'), code: z.string() }),
  z.object({ ...run, event: z.literal('run ended'), how: z.enum(['returned', 'fanned out', 'threw']), detail: z.string() }),
  // What workers were told.
  z.object({ ...line, event: z.literal('worker started'), worker: z.string() }),
  z.object({ ...run, event: z.literal('run claimed') }),
  z.object({ ...run, event: z.literal('run told'), outcome: z.string() }),
  z.object({ ...line, event: z.literal('complaint'), level: z.enum(['warn', 'error']), detail: z.string() }),
  // What happened to processes, connections and Redis.
  z.object({ ...line, event: z.literal('process started'), process: z.string() }),
  z.object({ ...line, event: z.literal('process ready'), process: z.string() }),
  z.object({ ...line, event: z.literal('process ended'), process: z.string(), code: z.number().nullable(), signal: z.string().nullable() }),
  /** It was told to end, did not, and was killed. */
  z.object({ ...line, event: z.literal('process outstayed'), process: z.string() }),
  z.object({ ...line, event: z.literal('fault began'), number: z.number(), kind: z.string(), target: z.string() }),
  z.object({ ...line, event: z.literal('fault ended'), number: z.number() }),
  /** The process has had time, up to now. */
  z.object({ ...line, event: z.literal('alive') }),
  /** The process got no time from its machine, or from a handler in it, up to now; by `redis`, that Redis had not answered. */
  z.object({ ...line, event: z.literal('stalled'), forMs: z.number() }),
  z.object({ ...line, event: z.literal('lock seen'), task: z.string(), ttlMs: z.number() }),
]);
export type HistoryEvent = z.infer<typeof historyEventSchema>;

type Unstamped<Event> = Event extends HistoryEvent ? Omit<Event, 'at' | 'by'> : never;
/** What a process says; when and who is added where it is written. */
export type HistoryEntry = Unstamped<HistoryEvent>;
export type EventOf<Name extends HistoryEvent['event']> = Extract<HistoryEvent, { event: Name }>;
