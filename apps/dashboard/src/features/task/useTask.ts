import { isFinal, type PageState, type Task, type TaskEvent } from '@galley/contract';
import { useEffect } from 'react';
import { type ApiError, getTask, getTaskEvents, listPages, useResource } from '../../api/index.ts';
import { useWatchedTask } from '../../store/index.ts';

/** Renewals change nothing that the wire tells of, so a running task's timeline is read again now and then. */
const RUNNING_REFRESH_MS = 5_000;

export interface TaskDetail {
  readonly task: Task | undefined;
  readonly error: ApiError | undefined;
  readonly events: readonly TaskEvent[] | undefined;
  readonly pages: readonly PageState[];
  /** Reads again what the wire does not tell. */
  readonly reload: () => void;
}

/** A task with its timeline and pages, live. */
export function useTask(id: string): TaskDetail {
  const live = useWatchedTask(id);
  const read = useResource(`task ${id}`, (signal) => getTask(id, signal));
  const task = live ?? read.data;
  const running = task?.status === 'processing';
  const events = useResource(`events ${id}`, (signal) => getTaskEvents(id, signal), running ? RUNNING_REFRESH_MS : undefined);
  const listed = useResource(task?.type === 'page' ? null : `pages ${id}`, (signal) => listPages(id, signal));
  const version =
    task === undefined ? '' : [task.status, task.fence, task.attempts, task.priority, task.pages?.done, task.pages?.failed].join(' ');
  const reloadEvents = events.reload;
  const reloadPages = listed.reload;
  useEffect(() => {
    if (version === '') return;
    reloadEvents();
    reloadPages();
  }, [version, reloadEvents, reloadPages]);
  const told = live?.page_states;
  const pages = told !== undefined && told.length >= (listed.data?.pages.length ?? 0) ? told : (listed.data?.pages ?? []);
  return {
    task,
    error: task === undefined ? read.error : undefined,
    events: events.data?.events,
    pages,
    reload: () => {
      read.reload();
      reloadEvents();
      reloadPages();
    },
  };
}

/** Whether any of its text can be read. */
export function isReadable(task: Task, pages: readonly PageState[]): boolean {
  if (task.type === 'page') return false;
  if (isFinal(task.status)) return task.status === 'completed';
  return pages.some(({ status }) => status === 'completed');
}
