import type { Task } from '@galley/contract';
import { useEffect, useMemo } from 'react';
import { listDeadLetters, listTasks, type Resource, useResource } from '../../api/index.ts';
import { type CursorList, useCursorList } from '../../api/useCursorList.ts';
import { useStore } from '../../store/index.ts';
import { type Group, groupsOf } from './groups.model.ts';

/** The groups of the shown queue; read again whenever the wire tells of a change. */
export function useGroups(): Resource<readonly Group[]> {
  const queue = useStore((state) => state.queue);
  const told = useStore((state) => state.live.deadLetters);
  const version = told === null ? '' : JSON.stringify(told.by_code);
  const { data, error, loading, reload } = useResource(`dead letters ${queue}`, (signal) => listDeadLetters({ queue, limit: 1 }, signal));
  useEffect(() => {
    if (version !== '') reload();
  }, [version, reload]);
  const groups = useMemo(() => (data === undefined ? undefined : groupsOf(data.by_code)), [data]);
  return { data: groups, error, loading, reload };
}

const PAGE = 50;

/** Dead letters, newest first: all, those of one code, or those whose file name or id begins with a text. */
export function useDeadLetters(which: { readonly code?: string | undefined; readonly search?: string }, version: string): CursorList<Task> {
  const queue = useStore((state) => state.queue);
  const { code, search = '' } = which;
  const list = useCursorList(
    `dead ${queue} ${code ?? ''} ${search}`,
    async (cursor, signal) => {
      const answer =
        search === ''
          ? await listDeadLetters({ queue, code, cursor, limit: PAGE }, signal)
          : await listTasks({ queue, status: ['dead_letter'], q: search, cursor, limit: PAGE }, signal);
      return { rows: answer.tasks, next: answer.next_cursor, total: answer.total };
    },
    (task) => task.task_id,
  );
  const { reload } = list;
  useEffect(() => {
    if (version !== '') reload();
  }, [version, reload]);
  return list;
}
