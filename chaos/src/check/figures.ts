import type { Case, SeenRun } from './case.ts';
import { isChild, of } from './case.ts';

/** What happened in a run, in numbers. */
export interface Figures {
  /** Faults of the schedule by kind, and what handlers did to their own threads and processes. */
  readonly faults: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** Submits whose answer nobody heard, because the producer was killed. */
  readonly unanswered: number;
  readonly duplicatesAnswered: number;
  readonly children: number;
  /** By final state, children included. */
  readonly ended: Readonly<Record<string, number>>;
  readonly runs: number;
  /** Runs that did work which another run of the same task did too: allowed, since delivery is at least once. */
  readonly repeatedRuns: number;
  /** Pairs of runs of one task that were under way at once, after a lease was lost. */
  readonly runsAtOnce: number;
  readonly refusedResults: number;
  readonly crashesCounted: number;
  readonly expiriesForgiven: number;
  readonly revivals: number;
  readonly cancels: number;
  /** Acknowledged tasks that are gone. */
  readonly losses: number;
  /** Milliseconds from the end of a lease until its task was back in line, sorted. */
  readonly reapDelaysMs: readonly number[];
  /** Milliseconds from Redis's return until the first run began, sorted; of outages after which some worker served all the while. */
  readonly resumptionsMs: readonly number[];
}

const NEVER_ENDING: Readonly<Record<string, string>> = {
  killer: 'handler kills its process',
  'thread-death': 'handler ends its thread',
  deaf: 'handler ignores its signal',
};

/** What a handler did to its own thread or process shows in that its run never ended. */
function selfInflicted({ started, ended }: SeenRun): string[] {
  if (started?.type === 'block') return ['handler holds its thread'];
  return ended === null ? [NEVER_ENDING[started?.type ?? ''] ?? []].flat() : [];
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

export function figuresOf(known: Case): Figures {
  const { history, final } = known.evidence;
  const tasks = [...known.tasks.values()];
  const answered = of(history, 'submit answered');
  const asked = of(history, 'submit asked');
  const told = new Set([...answered, ...of(history, 'submit refused')].map(({ label }) => label));
  const started = of(history, 'run started');
  const own = tasks.flatMap(({ runs }) => runs.flatMap(selfInflicted));
  const replayed = tasks.flatMap(({ replay }) => replay?.runs ?? []).filter((run) => run.reapedAt !== null);
  return {
    faults: counted([...of(history, 'fault began').map(({ kind }) => kind), ...own]),
    acknowledged: new Set(answered.map(({ task }) => task)).size,
    unanswered: asked.filter(({ label }) => !told.has(label)).length,
    duplicatesAnswered: answered.filter(({ duplicate }) => duplicate).length,
    children: [...final.tasks.keys()].filter(isChild).length,
    ended: counted([...final.tasks.values()].map(({ view }) => view.state)),
    runs: started.length,
    repeatedRuns: sum(
      tasks.map((task) => Math.max(0, task.runs.filter(({ ended }) => ended?.how === 'returned').length - 1 - (task.mostCompletions - 1))),
    ),
    runsAtOnce: sum(
      tasks.map(
        ({ runs }) => runs.filter((run, index) => (runs[index + 1]?.started?.at ?? Number.POSITIVE_INFINITY) < (run.ended?.at ?? 0)).length,
      ),
    ),
    refusedResults: sum(
      tasks.map(
        ({ runs }) =>
          runs.filter(({ ended, told: word }) => ended?.how === 'returned' && word !== null && word.outcome !== 'completed').length,
      ),
    ),
    crashesCounted: sum(tasks.flatMap(({ replay }) => replay?.crashesByLife ?? [])),
    expiriesForgiven: replayed.filter((run) => !run.crashCounted).length,
    revivals: of(history, 'revive answered').filter(({ word }) => word === 'revived').length,
    cancels: of(history, 'cancel answered').filter(({ word }) => word === 'cancelled').length,
    losses: new Set(answered.map(({ task }) => task).filter((task) => !final.tasks.has(task))).size,
    reapDelaysMs: replayed.map((run) => (run.reapedAt ?? 0) - run.grantedAt - known.evidence.setting.leaseMs).sort((a, b) => a - b),
    resumptionsMs: resumptions(known),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function resumptions({ evidence: { history }, disturbances }: Case): number[] {
  const redis = new Set(of(history, 'fault began').flatMap(({ kind, number }) => (kind.startsWith('redis-') ? [number] : [])));
  const started = of(history, 'run started').map(({ at }) => at);
  return of(history, 'fault ended')
    .filter(({ number }) => redis.has(number))
    .flatMap(({ at }) => {
      const first = started.find((moment) => moment >= at);
      return first === undefined || !disturbances.someWorkerServed(at, first) ? [] : [first - at];
    })
    .sort((a, b) => a - b);
}
