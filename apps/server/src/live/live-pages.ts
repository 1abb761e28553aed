import type { BlobStore } from '@galley/blobs';
import { isLive, type PageState } from '@galley/contract';
import { parseTaskId, type TaskView } from '@galley/core';
import type { ServedQueue } from '../queue/queues.ts';
import { Pages } from '../tasks/pages.ts';

/** Even what no event told of is read again after this long. */
const WHOLE_EVERY_MS = 30_000;

interface Kept {
  readonly states: Map<number, PageState>;
  /** Numbers of pages that an event was about since they were read. */
  readonly changed: Set<number>;
  readonly readAt: number;
  readonly total: number;
}

/**
 * The pages of watched documents. A document of thousands of pages changes many times a second, so only the pages that an event was
 * about are read again.
 */
export class LivePages {
  private readonly blobs: BlobStore;
  private readonly kept = new Map<string, Kept>();

  constructor(blobs: BlobStore) {
    this.blobs = blobs;
  }

  /** Hears the ids of an event. */
  touch(ids: readonly string[]): void {
    if (this.kept.size === 0) return;
    for (const id of ids) {
      const parsed = id.includes('.') ? parseTaskId(id) : null;
      if (parsed === null || parsed.parentId === null || parsed.childNumber === null) continue;
      this.kept.get(parsed.parentId)?.changed.add(parsed.childNumber);
    }
  }

  forget(taskId: string): void {
    this.kept.delete(taskId);
  }

  async read({ inspector }: ServedQueue, task: TaskView): Promise<PageState[]> {
    const pages = new Pages(inspector, this.blobs);
    const total = task.children?.total ?? 0;
    const kept = this.kept.get(task.id);
    const isFresh = kept !== undefined && kept.total === total && performance.now() - kept.readAt < WHOLE_EVERY_MS;
    if (total === 0 || !isLive(task.state) || !isFresh) return this.readWhole(pages, task, total);
    const numbers = [...kept.changed];
    kept.changed.clear();
    for (const state of await pages.some(task, numbers)) kept.states.set(state.page, state);
    return inOrder(kept.states);
  }

  private async readWhole(pages: Pages, task: TaskView, total: number): Promise<PageState[]> {
    const states = new Map<number, PageState>();
    const kept: Kept = { states, changed: new Set(), readAt: performance.now(), total };
    // Kept before it is read: what changes meanwhile is noted as changed.
    if (total > 0 && isLive(task.state)) this.kept.set(task.id, kept);
    else this.kept.delete(task.id);
    for (const state of (await pages.list(task)).pages) states.set(state.page, state);
    return inOrder(states);
  }
}

function inOrder(states: ReadonlyMap<number, PageState>): PageState[] {
  return [...states.values()].sort((a, b) => a.page - b.page);
}
