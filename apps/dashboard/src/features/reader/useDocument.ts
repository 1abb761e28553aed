import type { PageResult, PageState, Task } from '@galley/contract';
import { useEffect } from 'react';
import { type ApiError, getPage, getTask, getTaskResult, listPages, type Resource, useResource } from '../../api/index.ts';
import { useWatchedTask } from '../../store/index.ts';

export interface ReaderDocument {
  readonly task: Task | undefined;
  readonly error: ApiError | undefined;
  /** In page order; empty until the document has told its pages. */
  readonly pages: readonly PageState[];
  readonly total: number | null;
  /** What a person should know about how it was read, as the server wrote it. */
  readonly warnings: readonly string[];
}

const NO_WARNINGS: readonly string[] = [];

/** The document and its pages, live. */
export function useDocument(id: string): ReaderDocument {
  const live = useWatchedTask(id);
  const read = useResource(`task ${id}`, (signal) => getTask(id, signal));
  const listed = useResource(`pages ${id}`, (signal) => listPages(id, signal));
  const { reload } = listed;
  const told = live?.page_states;
  const changed = told === undefined && live !== undefined ? `${live.status} ${live.pages?.done ?? 0} ${live.pages?.failed ?? 0}` : null;
  useEffect(() => {
    if (changed !== null) reload();
  }, [changed, reload]);
  const task = live ?? read.data;
  // A short document tells its pages only when all are read; then the list is newer than the wire.
  const pages = told !== undefined && told.length >= (listed.data?.pages.length ?? 0) ? told : (listed.data?.pages ?? []);
  const total = listed.data?.total ?? task?.pages?.total ?? (pages.length === 0 ? null : pages.length);
  return { task, error: task === undefined ? read.error : undefined, pages, total, warnings: listed.data?.warnings ?? NO_WARNINGS };
}

const CACHE_LIMIT = 40;
const cache = new Map<string, PageResult>();

async function cachedPage(key: string, load: () => Promise<PageResult>): Promise<PageResult> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const page = await load();
  cache.set(key, page);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_LIMIT && oldest !== undefined) cache.delete(oldest);
  return page;
}

/** One page's result, as soon as it has been read. `fence` tells readings of the same page apart. */
export function usePageResult(task: Task | undefined, page: number, state: PageState | undefined): Resource<PageResult> {
  const readable = task !== undefined && (state === undefined ? task.status === 'completed' : state.status === 'completed');
  const key = readable ? `page ${task.task_id} ${page} ${task.fence} ${task.finished_at ?? ''}` : null;
  return useResource(key, (signal) => cachedPage(key ?? '', () => getPage(task?.task_id ?? '', page, signal)));
}

/** Every page read so far, for the search; read only while there is something to search for. */
export function useAllPages(task: Task | undefined, wanted: boolean): readonly PageResult[] {
  const key = task !== undefined && wanted ? `result ${task.task_id} ${task.fence} ${task.status} ${task.pages?.done ?? 0}` : null;
  const { data } = useResource(key, (signal) => getTaskResult(task?.task_id ?? '', signal));
  return data === undefined ? NO_PAGES : data.kind === 'whole' ? data.result.pages : data.pages;
}

const NO_PAGES: readonly PageResult[] = [];
