import type { Task } from '@galley/contract';
import type { ResultPart, TaskView } from '@galley/core';
import { type ServedQueue, taskNotFound } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { boundToUser, type Principal } from '../session/principal.ts';
import { cutCounts } from './cut-result.ts';
import { readStoredResult } from './stored-results.ts';
import { ownerOf, type PagesRead, taskAnswer } from './task-answer.ts';

export interface FoundTask extends ServedQueue {
  readonly task: TaskView;
  /** As much of the stored result as was asked for, as bytes. */
  readonly result: Buffer;
  /** The document of a page task. */
  readonly parent: TaskView | null;
}

/** A task that the principal may see. @throws GalleyError `task_not_found`, also for another user's: its id tells nothing */
export async function findTask(services: Services, principal: Principal, id: string, part: ResultPart = 'none'): Promise<FoundTask> {
  const served = await services.queues.task(id, part);
  const parent = served.task.parentId === null ? null : await served.inspector.get(served.task.parentId);
  const user = boundToUser(principal);
  if (user !== null && ownerOf(parent ?? served.task) !== user) throw taskNotFound(id);
  const { queue, inspector, task, result } = served;
  return { queue, inspector, task, result, parent };
}

/** Pages of a document that one run read whole; null of any other task. */
async function pagesRead(services: Services, { inspector, task, result }: Omit<FoundTask, 'queue'>): Promise<PagesRead | null> {
  if (task.state !== 'completed' || task.children !== null || task.parentId !== null || task.resultExpiresAt === null) return null;
  const counts = cutCounts(result);
  if (counts !== null) return counts;
  const stored = await readStoredResult(inspector, services.blobs, task.id);
  if (stored?.kind !== 'document') return null;
  const { pages } = stored.result;
  return { total: pages.length, failed: pages.filter((page) => page.error !== undefined).length };
}

/**
 * The whole answer about one task, with its place in line and its pages; quickest where it was found with the head of its result.
 * `stacks`: whether errors carry their stack traces.
 */
export async function wholeTask(services: Services, found: Omit<FoundTask, 'queue'>, stacks: boolean): Promise<Task> {
  const { inspector, task, parent } = found;
  const position = task.state === 'pending' ? await inspector.position(task) : null;
  return taskAnswer(task, { position, parent, stacks, pages: await pagesRead(services, found) });
}

/** Answers for a list; page tasks get their document's name. */
export async function listedTasks(served: ServedQueue, views: readonly TaskView[]): Promise<Task[]> {
  const parentIds = [...new Set(views.flatMap((view) => view.parentId ?? []))];
  const parents = new Map((await served.inspector.getMany(parentIds)).flatMap((view) => (view === null ? [] : [[view.id, view] as const])));
  return views.map((view) => taskAnswer(view, { parent: view.parentId === null ? null : (parents.get(view.parentId) ?? null) }));
}
