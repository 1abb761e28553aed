import type { BlobStore } from '@galley/blobs';
import { GalleyError, type PageImage, type PageList, type PageResult, type PageState, type StoredDocument } from '@galley/contract';
import { childId, type Inspector, type TaskView } from '@galley/core';
import { readStoredResult } from './stored-results.ts';
import { pageStateOfChild, pageStatesOfDocument } from './task-answer.ts';

/** Children read in one round trip. */
const CHILDREN_STEP = 200;

export interface ReadPage {
  readonly result: PageResult;
  readonly image: PageImage | null;
}

function warningsOf({ result: { warnings } }: StoredDocument): Pick<PageList, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings };
}

/** The pages of a document: from its page tasks, or from its result where one run read them all. */
export class Pages {
  private readonly inspector: Inspector;
  private readonly blobs: BlobStore;

  constructor(inspector: Inspector, blobs: BlobStore) {
    this.inspector = inspector;
    this.blobs = blobs;
  }

  async list(task: TaskView): Promise<PageList> {
    if (task.children === null || task.children.total === 0) {
      const stored = task.state === 'completed' ? await readStoredResult(this.inspector, this.blobs, task.id) : null;
      if (stored?.kind !== 'document') return { task_id: task.id, total: null, pages: [] };
      const pages = pageStatesOfDocument(task, stored);
      return { task_id: task.id, total: pages.length, pages, ...warningsOf(stored) };
    }
    const { total } = task.children;
    const held = task.resultExpiresAt === null ? null : await readStoredResult(this.inspector, this.blobs, task.id);
    const document = held?.kind === 'document' ? held : null;
    const pages = await this.childStates(task, total, document);
    return { task_id: task.id, total, pages, ...(document === null ? {} : warningsOf(document)) };
  }

  /** Results of the pages that are done so far, at most `limit`. */
  async done(task: TaskView, limit: number): Promise<PageResult[]> {
    const total = task.children?.total ?? 0;
    const results: PageResult[] = [];
    for (let from = 1; from <= total && results.length < limit; from += CHILDREN_STEP) {
      const children = await this.inspector.children(task.id, from, Math.min(total, from + CHILDREN_STEP - 1));
      const completed = children.flatMap((child) => (child?.state === 'completed' ? [child.id] : [])).slice(0, limit - results.length);
      const stored = await Promise.all(completed.map((id) => readStoredResult(this.inspector, this.blobs, id)));
      results.push(...stored.flatMap((entry) => (entry?.kind === 'page' ? [entry.result] : [])));
    }
    return results;
  }

  /**
   * One page's result.
   * @throws GalleyError `page_not_found`; `result_expired` where the document's result was held and is gone
   */
  async one(task: TaskView, page: number): Promise<ReadPage> {
    const found = (await this.fromDocument(task, page)) ?? (await this.fromChild(task, page));
    if (found !== null) return found;
    if (task.state === 'completed' && task.resultExpiresAt === null) {
      throw new GalleyError('result_expired', `the result of ${task.id} was kept for its time and is gone`);
    }
    throw new GalleyError('page_not_found', `${task.id} has no page ${page} that has been read`);
  }

  private async fromDocument(task: TaskView, page: number): Promise<ReadPage | null> {
    if (task.resultExpiresAt === null) return null;
    const stored = await readStoredResult(this.inspector, this.blobs, task.id);
    if (stored?.kind === 'page') return stored.result.page === page ? { result: stored.result, image: stored.image } : null;
    if (stored?.kind !== 'document') return null;
    const result = stored.result.pages.find((entry) => entry.page === page);
    if (result === undefined) return null;
    return { result, image: stored.images.find((image) => image.page === page) ?? null };
  }

  private async fromChild(task: TaskView, page: number): Promise<ReadPage | null> {
    if (task.children === null || page < 1 || page > task.children.total) return null;
    const stored = await readStoredResult(this.inspector, this.blobs, childId(task.id, page));
    return stored?.kind === 'page' ? { result: stored.result, image: stored.image } : null;
  }

  /** States of these page tasks of a document that is still being read, so without their sizes. */
  async some(task: TaskView, numbers: readonly number[]): Promise<PageState[]> {
    const children = await this.inspector.getMany(numbers.map((number) => childId(task.id, number)));
    return children.flatMap((child) => (child === null ? [] : [pageStateOfChild(child, undefined)]));
  }

  private async childStates(task: TaskView, total: number, document: StoredDocument | null): Promise<PageState[]> {
    const images = new Map(document?.images.map((image) => [image.page, image]));
    const states: PageState[] = [];
    for (let from = 1; from <= total; from += CHILDREN_STEP) {
      const children = await this.inspector.children(task.id, from, Math.min(total, from + CHILDREN_STEP - 1));
      for (const child of children) if (child !== null) states.push(pageStateOfChild(child, images.get(child.childNumber ?? 0)));
    }
    return states;
  }
}
