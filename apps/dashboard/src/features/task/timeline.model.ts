import type { PageState, Task, TaskError, TaskEvent } from '@galley/contract';

/** What happened at one moment: an event that the server keeps, or the end of a page of a long document, told by its page task. */
export type StepEvent = Omit<TaskEvent, 'event'> & { readonly event: TaskEvent['event'] | 'page_read' | 'page_failed' };

/** Up to so many pages each stand by themselves; of more, those read one after the other stand as one. */
const PAGES_APART = 12;

/** One line of the timeline; renewals in a row stand as one, and pages in a row of a document of many. */
export interface Step {
  readonly id: string;
  readonly at: number;
  readonly event: StepEvent;
  /** How many renewals it stands for; 1 for everything else. */
  readonly times: number;
  /** The pages that it tells of, in the order they ended. */
  readonly pages: readonly PageState[];
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

const ENDINGS: Partial<Readonly<Record<StepEvent['event'], Ending>>> = {
  completed: 'completed',
  failed: 'failed',
  dead_lettered: 'failed',
  released: 'released',
  cancelled: 'cancelled',
  reaped: 'crashed',
  fanned_out: 'split',
};

function errorOf(event: StepEvent, errors: readonly TaskError[]): TaskError | undefined {
  if (event.event !== 'failed' && event.event !== 'dead_lettered' && event.event !== 'reaped') return undefined;
  const at = Date.parse(event.at);
  // Error and event are written by one script, with one reading of the clock; a second is for older records.
  return errors.find((error) => Math.abs(Date.parse(error.at) - at) <= 1_000 && (event.code === undefined || error.code === event.code));
}

/** An event, with the page whose end it is. */
interface Happening {
  readonly event: StepEvent;
  readonly page?: PageState;
}

/** The ends of pages that are tasks of their own. */
function pageEnds(pages: readonly PageState[]): readonly Happening[] {
  return pages.flatMap((page): Happening[] => {
    const { finished_at: at, status, error } = page;
    if (at === undefined || (status !== 'completed' && status !== 'dead_letter')) return [];
    if (status === 'completed') return [{ event: { at, event: 'page_read' }, page }];
    return [{ event: { at, event: 'page_failed', code: error?.code, detail: error?.message }, page }];
  });
}

/** Whether this happened again right after itself and stands with it on one line. */
function repeats(last: Step | undefined, { event }: Happening, manyPages: boolean): boolean {
  if (last?.event.event !== event.event) return false;
  if (event.event === 'renewed') return last.event.run === event.run;
  return event.event === 'page_read' && manyPages;
}

function stepsOf(happenings: readonly Happening[], errors: readonly TaskError[], manyPages: boolean): readonly Step[] {
  const steps: Step[] = [];
  for (const happening of happenings) {
    const { event, page } = happening;
    const at = Date.parse(event.at);
    const pages = page === undefined ? [] : [page];
    const last = steps.at(-1);
    if (last !== undefined && repeats(last, happening, manyPages)) {
      steps[steps.length - 1] = { ...last, at, event, times: last.times + 1, pages: [...last.pages, ...pages] };
      continue;
    }
    const since = last === undefined ? null : at - last.at;
    // A failure and the death it leads to are written as one: its error is told once.
    const told = event.event === 'dead_lettered' && last?.event.event === 'failed' && last.event.code === event.code;
    const shown = told ? { ...event, detail: undefined } : event;
    const error = told ? undefined : errorOf(event, errors);
    steps.push({ id: `${event.at} ${event.event} ${steps.length}`, at, event: shown, times: 1, pages, since, error });
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

/** The timeline, newest run first. `events`: in any order; `pages`: those of a long document tell when they ended. */
export function runsOf(
  events: readonly TaskEvent[],
  task: Pick<Task, 'status' | 'errors'>,
  pages: readonly PageState[] = [],
): readonly Run[] {
  // Pages first: the end of the last one and what follows from it are of the same millisecond.
  const happenings: readonly Happening[] = [...pageEnds(pages), ...events.map((event) => ({ event }))];
  const ordered = happenings.toSorted((a, b) => a.event.at.localeCompare(b.event.at));
  const steps = stepsOf(ordered, task.errors, pages.length > PAGES_APART);
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

/** ms that a page's last run took; null where it is not told. */
export function pageDuration({ started_at: started, finished_at: finished }: PageState): number | null {
  return started === undefined || finished === undefined ? null : Math.max(0, Date.parse(finished) - Date.parse(started));
}

/** The pages of a step as one run of numbers, first to last; null where others lie between. */
export function pageSpan(pages: readonly PageState[]): readonly [number, number] | null {
  const numbers = pages.map(({ page }) => page);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return new Set(numbers).size === last - first + 1 ? [first, last] : null;
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
