import type { Task } from '@galley/contract';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { listTasks, useResource } from '../../api/index.ts';
import { type CursorList, useCursorList } from '../../api/useCursorList.ts';
import { useSearchParams } from '../../routing/index.ts';
import { serverNow, useStore } from '../../store/index.ts';
import { filterFields, listFilter, parseFilter, type TaskFilter } from './filter.model.ts';

/** The filter in the address; setting it changes the address. */
export function useTaskFilter(): { filter: TaskFilter; set: (change: Partial<TaskFilter>) => void; clear: () => void } {
  const [query, setQuery] = useSearchParams();
  const text = query.toString();
  const filter = useMemo(() => parseFilter(new URLSearchParams(text)), [text]);
  const write = useCallback(
    (fields: ReturnType<typeof filterFields>) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams();
          const queue = before.get('queue');
          for (const [key, value] of Object.entries(fields)) {
            if (value !== undefined) next.set(key, typeof value === 'string' ? value : value.join(','));
          }
          if (queue !== null) next.set('queue', queue);
          return next;
        },
        { replace: true },
      ),
    [setQuery],
  );
  return {
    filter,
    set: (change) => write(filterFields({ ...filter, ...change })),
    clear: () => write(filter.order === 'oldest' ? { order: 'oldest' } : {}),
  };
}

const PAGE = 100;
const ARRIVALS_EVERY_MS = 4_000;
const ARRIVALS_SEEN = 100;

const now = (): number => serverNow() ?? Date.now();

/** The tasks of the filter, page by page. */
export function useTaskList(filter: TaskFilter): CursorList<Task> {
  const queue = useStore((state) => state.queue);
  return useCursorList(
    `tasks ${queue} ${JSON.stringify(filter)}`,
    async (cursor, signal) => {
      const answer = await listTasks({ ...listFilter(filter, queue, now()), cursor, limit: PAGE }, signal);
      return { rows: answer.tasks, next: answer.next_cursor, total: answer.total };
    },
    (task) => task.task_id,
  );
}

export interface Arrivals {
  /** Tasks of the filter that came after the list was read; at most as many as one look sees. */
  readonly count: number;
  readonly total: number | null;
}

/** What has come since the list was read; looked for now and then while the queue's counts change. Rows on the page are not touched. */
export function useArrivals(filter: TaskFilter, list: CursorList<Task>): Arrivals {
  const queue = useStore((state) => state.queue);
  const live = useStore((state) => state.connection.freshness === 'live');
  const [readAt, setReadAt] = useState(0);
  const top = list.rows[0];
  const key = live && !list.loading && filter.order === 'newest' ? `arrivals ${queue} ${JSON.stringify(filter)} ${readAt}` : null;
  const { data } = useResource(
    key,
    (signal) => listTasks({ ...listFilter(filter, queue, now()), limit: ARRIVALS_SEEN }, signal),
    ARRIVALS_EVERY_MS,
  );
  useEffect(() => setReadAt((turn) => turn + 1), [top]);
  return useMemo(() => {
    if (data === undefined) return { count: 0, total: null };
    const known = new Set(list.rows.map(({ task_id }) => task_id));
    const fresh = data.tasks.filter((task) => !known.has(task.task_id) && (top === undefined || task.created_at >= top.created_at));
    return { count: fresh.length, total: data.total };
  }, [data, list.rows, top]);
}
