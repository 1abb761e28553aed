import type { Task, TaskError, TaskEvent } from '@galley/contract';

/** One line of the timeline; renewals in a row stand as one. */
export interface Step {
  readonly id: string;
  readonly at: number;
  readonly event: TaskEvent;
  /** How many renewals it stands for; 1 for everything else. */
  readonly times: number;
  /** ms since the step before it. */
  readonly since: number | null;
  /** The error of a failure, with its stack where the server told it. */
  readonly error?: TaskError | undefined;
}

export type Ending = 'now' | 'completed' | 'failed' | 'crashed' | 'released' | 'cancelled' | 'split' | 'open';

/** What happened from a claim until the next; what came before the first claim stands with the first run. */
export interface Run {
  /** Its fence; null while the task has not been claimed. */
  readonly run: number | null;
  readonly ending: Ending;
  /** ms from the claim to what ended it; null while it runs. */
  readonly lasted: number | null;
  /** Newest first. */
  readonly steps: readonly Step[];
}

const ENDINGS: Partial<Readonly<Record<TaskEvent['event'], Ending>>> = {
  completed: 'completed',
  failed: 'failed',
  dead_lettered: 'failed',
  released: 'released',
  cancelled: 'cancelled',
  reaped: 'crashed',
  fanned_out: 'split',
};

function errorOf(event: TaskEvent, errors: readonly TaskError[]): TaskError | undefined {
  if (event.event !== 'failed' && event.event !== 'dead_lettered' && event.event !== 'reaped') return undefined;
  const at = Date.parse(event.at);
  // Error and event are written by one script, with one reading of the clock; a second is for older records.
  return errors.find((error) => Math.abs(Date.parse(error.at) - at) <= 1_000 && (event.code === undefined || error.code === event.code));
}

function stepsOf(events: readonly TaskEvent[], errors: readonly TaskError[]): readonly Step[] {
  const steps: Step[] = [];
  for (const event of events) {
    const at = Date.parse(event.at);
    const last = steps.at(-1);
    if (event.event === 'renewed' && last?.event.event === 'renewed' && last.event.run === event.run) {
      steps[steps.length - 1] = { ...last, at, event, times: last.times + 1 };
      continue;
    }
    const since = last === undefined ? null : at - last.at;
    // A failure and the death it leads to are written as one: its error is told once.
    const told = event.event === 'dead_lettered' && last?.event.event === 'failed' && last.event.code === event.code;
    const shown = told ? { ...event, detail: undefined } : event;
    const error = told ? undefined : errorOf(event, errors);
    steps.push({ id: `${event.at} ${event.event} ${steps.length}`, at, event: shown, times: 1, since, error });
  }
  return steps;
}

function endingOf(steps: readonly Step[], isLast: boolean, status: Task['status']): { ending: Ending; lasted: number | null } {
  const claim = steps.find(({ event }) => event.event === 'claimed');
  if (claim === undefined) return { ending: 'open', lasted: null };
  const end = steps.find((step) => step.at >= claim.at && ENDINGS[step.event.event] !== undefined);
  const ending = end === undefined ? undefined : ENDINGS[end.event.event];
  if (end === undefined || ending === undefined) return { ending: isLast && status === 'processing' ? 'now' : 'open', lasted: null };
  return { ending, lasted: end.at - claim.at };
}

/** The timeline, newest run first. `events`: in any order. */
export function runsOf(events: readonly TaskEvent[], task: Pick<Task, 'status' | 'errors'>): readonly Run[] {
  const ordered = [...events].sort((a, b) => a.at.localeCompare(b.at));
  const steps = stepsOf(ordered, task.errors);
  const groups: Step[][] = [];
  let claimed = false;
  for (const step of steps) {
    const current = groups.at(-1);
    const begins = step.event.event === 'claimed' && claimed;
    if (current === undefined || begins) groups.push([step]);
    else current.push(step);
    if (step.event.event === 'claimed') claimed = true;
  }
  return groups
    .map((group, index) => {
      const claim = group.find(({ event }) => event.event === 'claimed');
      const { ending, lasted } = endingOf(group, index === groups.length - 1, task.status);
      return { run: claim?.event.run ?? claim?.event.fence ?? null, ending, lasted, steps: [...group].reverse() };
    })
    .reverse();
}

/** ms between submission and the first claim; null before that. */
export function firstWait(events: readonly TaskEvent[]): number | null {
  const ordered = [...events].sort((a, b) => a.at.localeCompare(b.at));
  const submitted = ordered.find(({ event }) => event === 'submitted');
  const claimed = ordered.find(({ event }) => event === 'claimed');
  return submitted === undefined || claimed === undefined ? null : Date.parse(claimed.at) - Date.parse(submitted.at);
}

const LEASE_LEAST = 1_000;
const LEASE_MOST = 3_600_000;

/** How long a lease is, ms: from the claim or renewal that set it to its end; null where no event tells. */
export function leaseLength(events: readonly TaskEvent[], expiresAt: string | undefined): number | null {
  if (expiresAt === undefined) return null;
  const set = events.filter(({ event }) => event === 'claimed' || event === 'renewed').map(({ at }) => Date.parse(at));
  if (set.length === 0) return null;
  const length = Math.round((Date.parse(expiresAt) - Math.max(...set)) / 1_000) * 1_000;
  return length >= LEASE_LEAST && length <= LEASE_MOST ? length : null;
}

/** The shard in a task's id. */
export function shardOf(task: Pick<Task, 'task_id' | 'queue'>): string | null {
  return /^-(\d{2,4})-/.exec(task.task_id.slice(task.queue.length))?.[1] ?? null;
}
