import { DOCUMENT_TAGS } from '@galley/contract';
import { childId, type TaskView } from '@galley/core';
import type { ServedQueue } from '../queue/queues.ts';
import type { Services } from '../services.ts';
import { blobsOfResult } from './stored-results.ts';
import { payloadFacts } from './task-answer.ts';

/** The file that a document was made from, and what was made from it. */
export interface TaskFiles {
  readonly source: string | null;
  readonly derived: readonly string[];
}

/** Whether any task, of any queue, was made from this file. */
export async function isReferenced(services: Pick<Services, 'queues'>, sha256: string): Promise<boolean> {
  for (const { inspector } of services.queues.all()) {
    if ((await inspector.count({ kind: 'tag', tag: DOCUMENT_TAGS.blob, value: sha256 })) > 0) return true;
  }
  return false;
}

/** Read before the task is purged, which forgets them. */
export async function filesOf(services: Services, { inspector }: ServedQueue, task: TaskView): Promise<TaskFiles> {
  const derived = await blobsOfResult(inspector, services.blobs, task.id);
  for (let child = 1; child <= (task.children?.total ?? 0); child++) {
    derived.push(...(await blobsOfResult(inspector, services.blobs, childId(task.id, child))));
  }
  return { source: task.parentId === null ? (payloadFacts(task).sha256 ?? null) : null, derived };
}

/** Deletes the files of purged tasks, except where another task was made from the same file: it shows the same pictures. */
export async function deleteFiles(services: Services, files: readonly TaskFiles[]): Promise<void> {
  for (const { source, derived } of files) {
    if (source === null || (await isReferenced(services, source))) continue;
    await Promise.all([source, ...derived].map((sha256) => services.blobs.delete(sha256)));
  }
}
