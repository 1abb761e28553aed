import type { Task } from '@galley/contract';
import type { TaskView } from '@galley/core';
import { type ServedQueue, taskNotFound } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { boundToUser, type Principal } from '../session/principal.ts';
import { readStoredResult } from './stored-results.ts';
import { ownerOf, taskAnswer } from './task-answer.ts';

export interface FoundTask extends ServedQueue {
  readonly task: TaskView;
  /** The document of a page task. */
  readonly parent: TaskView | null;
}

/** A task that the principal may see. @throws GalleyError `task_not_found`, also for another user's: its id tells nothing */
export async function findTask(services: Services, principal: Principal, id: string): Promise<FoundTask> {
  const served = await services.queues.task(id);
  const parent = served.task.parentId === null ? null : await served.inspector.get(served.task.parentId);
  const user = boundToUser(principal);
  if (user !== null && ownerOf(parent ?? served.task) !== user) throw taskNotFound(id);
  return { ...served, parent };
}

/** The whole answer about one task, with its place in line and its pages. `stacks`: whether errors carry their stack traces. */
export async function wholeTask(services: Services, found: Omit<FoundTask, 'queue'>, stacks: boolean): Promise<Task> {
  const { inspector, task, parent } = found;
  const readsResult = task.children === null && task.parentId === null && task.state === 'completed' && task.resultExpiresAt !== null;
  const [position, stored] = await Promise.all([
    task.state === 'pending' ? inspector.position(task) : null,
    readsResult ? readStoredResult(inspector, services.blobs, task.id) : null,
  ]);
  return taskAnswer(task, { position, parent, stacks, document: stored?.kind === 'document' ? stored : null });
}

/** Answers for a list; page tasks get their document's name. */
export async function listedTasks(served: ServedQueue, views: readonly TaskView[]): Promise<Task[]> {
  const parentIds = [...new Set(views.flatMap((view) => view.parentId ?? []))];
  const parents = new Map((await served.inspector.getMany(parentIds)).flatMap((view) => (view === null ? [] : [[view.id, view] as const])));
  return views.map((view) => taskAnswer(view, { parent: view.parentId === null ? null : (parents.get(view.parentId) ?? null) }));
}
