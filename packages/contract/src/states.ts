/** The states of a task, in the order in which a person is shown them (design §2.2). */
export const TASK_STATES = ['scheduled', 'pending', 'processing', 'retrying', 'waiting', 'completed', 'cancelled', 'dead_letter'] as const;

export type TaskState = (typeof TASK_STATES)[number];

/** States in which a task still has work ahead of it. */
export const LIVE_STATES = ['scheduled', 'pending', 'processing', 'retrying', 'waiting'] as const satisfies TaskState[];

/** States that end a task; `dead_letter` can be left again by a revival. */
export const FINAL_STATES = ['completed', 'cancelled', 'dead_letter'] as const satisfies TaskState[];

export function isLive(state: TaskState): boolean {
  return (LIVE_STATES as readonly TaskState[]).includes(state);
}

export function isFinal(state: TaskState): boolean {
  return !isLive(state);
}
