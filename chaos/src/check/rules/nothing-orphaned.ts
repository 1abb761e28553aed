import { TASK_STATES } from '@galley/contract';
import type { Case } from '../case.ts';
import { isChild, of } from '../case.ts';
import type { Finding } from '../evidence.ts';

/** P12: no lock without an end, none left when nothing runs, and nothing that had to be mended, miscounted or left behind. */
export function* nothingOrphaned(known: Case): Generator<Finding> {
  const { history, final, setting, atRest } = known.evidence;
  const finding = (task: string | null, says: string): Finding => ({ promise: 'P12', task, says });
  const endless = new Set(of(history, 'lock seen').flatMap(({ task, ttlMs }) => (ttlMs === -1 ? [task] : [])));
  for (const task of endless) yield finding(task, 'its lock had no TTL');
  for (const { task, ttlMs } of of(history, 'lock seen')) {
    if (ttlMs > setting.leaseMs) yield finding(task, `its lock had a TTL of ${ttlMs} ms, more than the lease`);
  }
  if (atRest) for (const { task } of final.locks) yield finding(task, 'its lock is left though nothing runs');
  for (const [field, count] of Object.entries(final.totals)) {
    if (field.startsWith('repaired:') && count > 0) yield finding(null, `${count} times something had to be mended: ${field}`);
  }
  for (const { id, replay } of known.tasks.values())
    for (const what of replay?.mended ?? []) yield finding(id, `it had to be mended: ${what}`);
  for (const says of counts(known)) yield finding(null, says);
  yield* families(known);
}

/** What is counted is what is there. */
function* counts({ evidence: { final } }: Case): Generator<string> {
  const held = new Map<string, number>();
  const add = (field: string): void => void held.set(field, (held.get(field) ?? 0) + 1);
  for (const [id, { view }] of final.tasks) {
    add(view.state);
    if (isChild(id)) add(`child:${view.state}`);
  }
  for (const field of TASK_STATES.flatMap((state) => [state, `child:${state}`])) {
    const [counted, there] = [final.counts[field] ?? 0, held.get(field) ?? 0];
    if (counted !== there) yield `counts says ${field} ${counted} and there are ${there}`;
  }
}

/** Each child of a parent that was not cancelled is there and counted as it ended. */
function* families({ evidence: { final } }: Case): Generator<Finding> {
  for (const [id, { view }] of final.tasks) {
    if (view.children === null || view.state === 'cancelled') continue;
    const { total, completed, failed } = view.children;
    const own = [...final.tasks.values()].filter((task) => task.view.parentId === id).map((task) => task.view.state);
    const done = own.filter((state) => state === 'completed').length;
    if (own.length !== total || completed !== done || failed !== own.length - done) {
      const says = `it counts ${completed} completed and ${failed} failed of ${total} children; ${done} of the ${own.length} that are there are completed`;
      yield { promise: 'P12', task: id, says };
    }
  }
}
