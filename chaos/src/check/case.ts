import type { EventOf, HistoryEvent } from '../history/events.ts';
import { workSchema } from '../work/work.ts';
import { Disturbances } from './disturbances.ts';
import type { Evidence } from './evidence.ts';
import type { FinalTask } from './final-state.ts';
import { type Replay, replay } from './replay.ts';

/** One run of a task, as its handler and its worker saw it. */
export interface SeenRun {
  readonly fence: number;
  /** Process and incarnation. */
  readonly by: string;
  readonly started: EventOf<'run started'> | null;
  readonly aborted: EventOf<'run aborted'> | null;
  readonly ended: EventOf<'run ended'> | null;
  readonly told: EventOf<'run told'> | null;
}

/** All that is known of one task. */
export interface TaskCase {
  readonly id: string;
  readonly final: FinalTask | null;
  readonly label: string | null;
  readonly asked: EventOf<'submit asked'> | null;
  /** By fence. */
  readonly runs: readonly SeenRun[];
  readonly cancels: readonly EventOf<'cancel answered'>[];
  /** Null where the task is gone, or no timeline was kept, or not the whole of it. */
  readonly replay: Replay | null;
  /** How often the task may have ended with a result: once, and once more each time that a child's return had it wait again. */
  readonly mostCompletions: number;
}

/** Evidence, put in order by task. */
export interface Case {
  readonly evidence: Evidence;
  readonly tasks: ReadonlyMap<string, TaskCase>;
  readonly disturbances: Disturbances;
  /** Process and incarnation → the id under which it claimed. */
  readonly workerIds: ReadonlyMap<string, string>;
}

/** Timelines are cut to this many entries (docs/redis-keys.md). */
const LONGEST_TIMELINE = 100;

export function isChild(id: string): boolean {
  return id.includes('.');
}

export function caseOf(evidence: Evidence): Case {
  const askedByLabel = new Map(of(evidence.history, 'submit asked').map((event) => [event.label, event]));
  const byTask = new Map<string, HistoryEvent[]>();
  for (const event of evidence.history) {
    if (!('task' in event)) continue;
    const events = byTask.get(event.task);
    if (events === undefined) byTask.set(event.task, [event]);
    else events.push(event);
  }
  const tasks = new Map<string, TaskCase>();
  // Parents before their children, whose place in line follows from theirs.
  const ids = [...new Set([...byTask.keys(), ...evidence.final.tasks.keys()])].sort();
  for (const id of ids) tasks.set(id, taskCase(id, byTask.get(id) ?? [], evidence, askedByLabel, tasks));
  const workerIds = new Map(of(evidence.history, 'worker started').map(({ by, worker }) => [by, worker]));
  return { evidence, tasks, workerIds, disturbances: new Disturbances(evidence) };
}

/** The events of one name. */
export function of<Name extends HistoryEvent['event']>(events: readonly HistoryEvent[], name: Name): EventOf<Name>[] {
  return events.filter((event): event is EventOf<Name> => event.event === name);
}

function taskCase(
  id: string,
  events: readonly HistoryEvent[],
  evidence: Evidence,
  askedByLabel: ReadonlyMap<string, EventOf<'submit asked'>>,
  known: ReadonlyMap<string, TaskCase>,
): TaskCase {
  const final = evidence.final.tasks.get(id) ?? null;
  const payload = workSchema.safeParse(final?.view.payload);
  const label = payload.success ? payload.data.label : null;
  const asked = label === null ? null : (askedByLabel.get(label) ?? null);
  const replay = replayOf(id, final, asked, known);
  // Where no timeline tells, a parent may have waited again any number of times.
  const reopened = replay?.reopened ?? ((final?.view.children ?? null) === null ? 0 : Number.POSITIVE_INFINITY);
  const cancels = of(events, 'cancel answered');
  return { id, final, label, asked, runs: runsOf(events), cancels, replay, mostCompletions: 1 + reopened };
}

function replayOf(
  id: string,
  final: FinalTask | null,
  asked: EventOf<'submit asked'> | null,
  known: ReadonlyMap<string, TaskCase>,
): Replay | null {
  if (final === null || final.timeline.length === 0 || final.timeline.length >= LONGEST_TIMELINE) return null;
  if (!isChild(id)) {
    const { view } = final;
    return replay(final.timeline, {
      place: 'none',
      at: view.createdAt,
      priority: asked?.priority ?? view.priority,
      delayed: (asked?.delayMs ?? 0) > 0,
    });
  }
  // A child is in line from its parent's fan-out on; before the last step of that it may already run.
  const parent = known.get(id.slice(0, id.indexOf('.')));
  const fannedOut = parent?.final?.timeline.find((entry) => entry.event === 'fanned_out');
  const at = fannedOut?.at ?? final.timeline[0]?.at ?? final.view.createdAt;
  return replay(final.timeline, { place: 'pending', at, priority: final.view.priority, delayed: false });
}

function runsOf(events: readonly HistoryEvent[]): SeenRun[] {
  const fences = new Map<string, { by: string; fence: number }>();
  for (const event of events) if ('fence' in event) fences.set(`${event.fence} ${event.by}`, { by: event.by, fence: event.fence });
  const runs = [...fences.values()].map(({ by, fence }): SeenRun => {
    const own = events.filter((event) => 'fence' in event && event.fence === fence && event.by === by);
    return {
      fence,
      by,
      started: of(own, 'run started')[0] ?? null,
      aborted: of(own, 'run aborted')[0] ?? null,
      ended: of(own, 'run ended')[0] ?? null,
      told: of(own, 'run told')[0] ?? null,
    };
  });
  return runs.sort((a, b) => a.fence - b.fence);
}
