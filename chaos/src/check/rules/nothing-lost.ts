import type { Case } from '../case.ts';
import { isChild, of } from '../case.ts';
import type { Finding } from '../evidence.ts';

const FINAL_STATES = ['completed', 'cancelled', 'dead_letter'];

/** P1: whatever was answered is there, once, and has ended in one state. */
export function* nothingLost(known: Case): Generator<Finding> {
  const { history, final, atRest } = known.evidence;
  const finding = (task: string | null, says: string): Finding => ({ promise: 'P1', task, says });
  if (!atRest) yield finding(null, 'tasks were still under way when they had had time enough to end');
  for (const { task, label, duplicate } of of(history, 'submit answered')) {
    const held = known.tasks.get(task);
    if (held?.final === null || held === undefined) yield finding(task, `submit ${label} was answered with it and it is gone`);
    else if (!duplicate && held.label !== label)
      yield finding(task, `submit ${label} was answered with it and it is the task of ${held.label}`);
  }
  for (const [id, { view, places }] of final.tasks) {
    if (!FINAL_STATES.includes(view.state)) yield finding(id, `it ended as ${view.state}`);
    const expected = view.state === 'dead_letter' ? 'dead' : isChild(id) ? '' : 'finished';
    if (FINAL_STATES.includes(view.state) && places.join() !== expected)
      yield finding(id, `it is ${view.state} and stands in "${places.join()}"`);
  }
  yield* submittedOnce(known);
  yield* wordsKept(known);
}

/** A submit makes one task, whatever became of its answer. */
function* submittedOnce({ evidence, tasks }: Case): Generator<Finding> {
  const asked = new Set(of(evidence.history, 'submit asked').map(({ label }) => label));
  const seen = new Map<string, string>();
  for (const { id, label, final } of tasks.values()) {
    if (final === null || isChild(id)) continue;
    const says = `it is of the label ${label}, which nobody asked for`;
    if (label === null || !asked.has(label)) yield { promise: 'P1', task: id, says };
    const other = seen.get(label ?? '');
    if (other !== undefined) yield { promise: 'P1', task: id, says: `submit ${label} made it and ${other}` };
    seen.set(label ?? '', id);
  }
}

/** A worker that was told `completed` was told the truth. */
function* wordsKept({ tasks }: Case): Generator<Finding> {
  for (const { id, runs, final, mostCompletions } of tasks.values()) {
    const told = runs.filter((run) => run.told?.outcome === 'completed');
    if (told.length === 0 || final?.view.state === 'completed' || mostCompletions > 1) continue;
    yield { promise: 'P1', task: id, says: `run ${told[0]?.fence} was told completed and the task is ${final?.view.state ?? 'gone'}` };
  }
}
