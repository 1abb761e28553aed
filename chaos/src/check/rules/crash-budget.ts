import type { Case, SeenRun, TaskCase } from '../case.ts';
import type { Finding } from '../evidence.ts';

/** From its second crash on a task runs without neighbours in its process. */
const ALONE_FROM = 2;

/** P6: crashes have a budget, a task that has spent it runs no more until it is revived, and crashers run alone. */
export function* crashBudget(known: Case): Generator<Finding> {
  const { crashBudget: budget } = known.evidence.setting;
  for (const task of known.tasks.values()) {
    for (const says of [...overspent(task, budget), ...unspent(task, budget)]) yield { promise: 'P6', task: task.id, says };
  }
  yield* neighbours(known);
}

function* overspent({ replay, runs, final }: TaskCase, budget: number): Generator<string> {
  for (const crashes of replay?.crashesByLife ?? []) if (crashes > budget) yield `${crashes} crashes were counted in one life`;
  for (const { started } of runs) {
    if (started !== null && started.crashes >= budget)
      yield `run ${started.fence} began though ${started.crashes} crashes had been counted`;
  }
  if ((final?.view.crashes ?? 0) > budget) yield `its record counts ${final?.view.crashes} crashes`;
}

/** Dead of a crash loop means: of so many crashes, and no fewer. */
function* unspent({ final, replay }: TaskCase, budget: number): Generator<string> {
  if (final === null || final.view.state !== 'dead_letter') return;
  const code = final.view.errors.at(-1)?.code;
  const crashes = replay?.crashesByLife.at(-1) ?? final.view.crashes;
  if ((code === 'crash_loop') !== (crashes === budget)) yield `it is dead of ${code ?? 'nothing'} with ${crashes} crashes counted`;
}

interface Interval {
  readonly task: string;
  readonly run: SeenRun;
  readonly from: number;
  readonly to: number;
  readonly crashes: number;
}

function* neighbours({ tasks, disturbances }: Case): Generator<Finding> {
  const byProcess = new Map<string, Interval[]>();
  for (const { id, runs } of tasks.values()) {
    for (const run of runs) {
      if (run.started === null) continue;
      // A run whose handler was ended under it has no end of its own; its worker's word comes after it.
      const to = run.ended?.at ?? run.told?.at ?? disturbances.endOf(run.by)?.at ?? run.started.at;
      const interval = { task: id, run, from: run.started.at, to, crashes: run.started.crashes };
      byProcess.set(run.by, [...(byProcess.get(run.by) ?? []), interval]);
    }
  }
  for (const [by, intervals] of byProcess) {
    for (const alone of intervals.filter(({ crashes }) => crashes >= ALONE_FROM)) {
      const beside = intervals.find((other) => other !== alone && other.from < alone.to && other.to > alone.from);
      if (beside === undefined) continue;
      const says = `run ${alone.run.fence} began after ${alone.crashes} crashes and ran beside ${beside.task} in ${by}`;
      yield { promise: 'P6', task: alone.task, says };
    }
  }
}
