import { type DeadLetterAction, type ErrorCode, GalleyError } from '@galley/contract';
import { deadLetterPlan, type OperationPlan, type PurgeWord, type ReviveWord, type TaskView } from '@galley/core';
import type { ServedQueue } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { deleteFiles, filesOf } from '../tasks/task-files.ts';

/** What became of each id: null where it was done, else why not. */
export type Outcomes = Map<string, ErrorCode | null>;

const REVIVE_CODES = {
  revived: null,
  not_dead: 'invalid_state',
  identity_taken: 'identity_taken',
  parent_gone: 'invalid_state',
  missing: 'task_not_found',
} as const satisfies Record<ReviveWord, ErrorCode | null>;

const PURGE_CODES = {
  purged: null,
  more: 'invalid_state',
  not_final: 'invalid_state',
  missing: 'task_not_found',
} as const satisfies Record<PurgeWord, ErrorCode | null>;

export async function reviveAll({ queue }: ServedQueue, ids: readonly string[]): Promise<(ErrorCode | null)[]> {
  return (await queue.revive(ids)).map((word) => REVIVE_CODES[word]);
}

/** Forgets dead letters with their files. A page goes with its document only. */
export async function purgeAll(services: Services, served: ServedQueue, ids: readonly string[]): Promise<(ErrorCode | null)[]> {
  const views = await served.inspector.getMany(ids);
  const codes: (ErrorCode | null)[] = views.map((view) => (view === null ? 'task_not_found' : isPurgeable(view) ? null : 'invalid_state'));
  const dead = views.filter((view): view is TaskView => view !== null && isPurgeable(view));
  const files = await Promise.all(dead.map((view) => filesOf(services, served, view)));
  const words = await served.queue.purge(dead.map((view) => view.id));
  const byId = new Map(dead.map((view, index) => [view.id, PURGE_CODES[words[index] ?? 'missing']] as const));
  await deleteFiles(services, files);
  return ids.map((id, index) => byId.get(id) ?? codes[index] ?? null);
}

function isPurgeable(view: TaskView): boolean {
  return view.state === 'dead_letter' && view.parentId === null;
}

/** Runs an action over ids of any queues. */
export async function actOnIds(
  services: Services,
  ids: readonly string[],
  act: (served: ServedQueue, own: string[]) => Promise<(ErrorCode | null)[]>,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const groups = new Map<ServedQueue, string[]>();
  for (const id of new Set(ids)) {
    const served = await services.queues.ofTask(id).catch((error: unknown) => {
      if (error instanceof GalleyError && error.code === 'task_not_found') return null;
      throw error;
    });
    if (served === null) outcomes.set(id, 'task_not_found');
    else groups.set(served, [...(groups.get(served) ?? []), id]);
  }
  for (const [served, own] of groups) {
    const codes = await act(served, own);
    own.forEach((id, index) => outcomes.set(id, codes[index] ?? null));
  }
  return outcomes;
}

/** The operation for `{all: true}`: over what is dead when it begins. */
export function planForAll(
  services: Services,
  served: ServedQueue,
  action: 'retry' | 'purge',
  code: string | undefined,
): Promise<OperationPlan> {
  return deadLetterPlan(served.queue, action, code, async (ids) => {
    const codes = action === 'retry' ? await reviveAll(served, ids) : await purgeAll(services, served, ids);
    return codes.map((outcome) => outcome === null);
  });
}

export function idsOf(action: DeadLetterAction): readonly string[] | null {
  return 'task_ids' in action ? action.task_ids : null;
}
