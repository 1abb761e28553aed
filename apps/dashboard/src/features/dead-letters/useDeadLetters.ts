import type { Task } from '@galley/contract';
import { useEffect, useMemo, useRef } from 'react';
import { listDeadLetters, listTasks, type Resource, useResource } from '../../api/index.ts';
import { type CursorList, useCursorList } from '../../api/useCursorList.ts';
import { useStore } from '../../store/index.ts';
import { agrees, type Group, groupsOf } from './groups.model.ts';

/**
 * Reads the groups again whenever the wire tells of dead letters, with the same counts too: others may have died than were revived.
 * What was read in the middle of a change may differ from what was told before it, so each snapshot compares them once more.
 */
export function useToldAgain(groups: readonly Group[] | undefined, reload: () => void): void {
  const shown = useRef(groups);
  const compared = useRef<readonly Group[] | undefined>(undefined);
  useEffect(() => {
    shown.current = groups;
  }, [groups]);
  useEffect(
    () =>
      useStore.subscribe(({ live: { deadLetters: told, snapshot } }, { live: before }) => {
        if (told === null || (told === before.deadLetters && snapshot === before.snapshot)) return;
        const { current } = shown;
        // An answer that is still on its way is waited for.
        const differs = current !== undefined && current !== compared.current && !agrees(told.by_code, current);
        if (differs) compared.current = current;
        if (differs || told !== before.deadLetters) reload();
      }),
    [reload],
  );
}

/** The groups of the shown queue, anew with every answer, and with every change that the wire tells of. */
export function useGroups(): Resource<readonly Group[]> {
  const queue = useStore((state) => state.queue);
  const { data, error, loading, reload } = useResource(`dead letters ${queue}`, (signal) => listDeadLetters({ queue, limit: 1 }, signal));
  const groups = useMemo(() => (data === undefined ? undefined : groupsOf(data.by_code)), [data]);
  useToldAgain(groups, reload);
  return { data: groups, error, loading, reload };
}

const PAGE = 50;

/**
 * Dead letters, newest first: all, those of one code, or those whose file name or id begins with a text. Read again with every new
 * `groups`: equal counts may be other tasks.
 */
export function useDeadLetters(
  which: { readonly code?: string | undefined; readonly search?: string },
  groups: readonly Group[],
): CursorList<Task> {
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
  const read = useRef(groups);
  useEffect(() => {
    if (read.current === groups) return;
    read.current = groups;
    reload();
  }, [groups, reload]);
  return list;
}
