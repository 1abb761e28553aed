import { isLive, type Task } from '@galley/contract';
import type { ReactNode } from 'react';
import { formatCount, formatPercent, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, systemPath, taskPath } from '../../routing/index.ts';
import { useStore, useWatchedTask } from '../../store/index.ts';
import { Checkbox, cx, FileName, PriorityChip, ProgressBar, STATE_COLOUR, StateBadge, Tooltip } from '../../ui/index.ts';
import { tasks } from './messages.ts';
import { InState, nameOf, useRowWords } from './rowWords.tsx';

/** The task as it is now: the wire's word while it lives, else the list's. */
export function useTaskNow(listed: Task): Task {
  const watched = isLive(listed.status) || listed.status === 'dead_letter' ? listed.task_id : null;
  return useWatchedTask(watched) ?? listed;
}

/** Whether the server's alerts name this task as the one that holds a lock too long. */
function useIsStuck(id: string): boolean {
  return useStore((state) => state.live.snapshot?.alerts.some((alert) => alert.code === 'shard_stuck' && alert.task_id === id) === true);
}

function Where({ task }: { task: Task }): ReactNode {
  const messages = useMessages(tasks);
  const formats = useFormats();
  if (task.status === 'processing' && task.worker_id !== undefined) {
    return (
      <Tooltip text={task.worker_id}>
        <Link to={systemPath('workers')} className="link task-worker">
          {task.worker_id}
        </Link>
      </Tooltip>
    );
  }
  return task.status === 'pending' && task.position !== undefined ? messages.place(formats.ordinal(task.position)) : '–';
}

export interface TaskRowProps {
  readonly task: Task;
  readonly selected: boolean;
  /** It no longer matches the filter; it stays until the list is read again. */
  readonly gone: boolean;
  /** Null where the role may not act on tasks. */
  readonly onSelect: ((event: { readonly shiftKey: boolean }) => void) | null;
}

/** The cells of a task on a wide page. */
export function TaskRow({ task, selected, gone, onSelect }: TaskRowProps): ReactNode {
  const messages = useMessages(tasks);
  const stuck = useIsStuck(task.task_id);
  const words = useRowWords(task);
  return (
    <>
      {onSelect !== null && (
        <td className="task-check">
          <Checkbox checked={selected} label={messages.selectOne(nameOf(task))} onChange={(_, event) => onSelect(event)} />
        </td>
      )}
      <td>
        <StateBadge state={task.status} />
      </td>
      <td className={cx('task-name', gone && 'task-gone')}>
        <Link to={taskPath(task.task_id)}>
          <FileName name={nameOf(task)} />
        </Link>
      </td>
      <td>
        <PriorityChip priority={task.priority} />
      </td>
      <td className="task-soft task-user">{task.user_id ?? '–'}</td>
      <td className="task-pages">
        <span className={words.pages === null ? 'task-faint' : undefined}>{words.pages ?? '–'}</span>
        {words.share !== null && (
          <span className="task-bar">
            <ProgressBar share={words.share} colour={STATE_COLOUR[task.status]} label={formatPercent(words.share)} />
          </span>
        )}
      </td>
      <td className={cx('is-number', stuck ? 'task-stuck' : 'task-soft')}>
        <InState task={task} />
      </td>
      <td className={cx('is-number', 'task-attempts', task.attempts === 0 && 'task-faint')}>{formatCount(task.attempts)}</td>
      <td className="is-number task-soft task-where">
        <Where task={task} />
      </td>
    </>
  );
}

function Place({ task }: { task: Task }): ReactNode {
  const messages = useMessages(tasks);
  const formats = useFormats();
  if (task.status === 'retrying') return messages.attemptOf(formatCount(task.attempts), formatCount(task.max_retries));
  if (task.status === 'pending' && task.position !== undefined) return messages.place(formats.ordinal(task.position));
  return task.pages === undefined ? null : messages.pagesPhone(formatCount(task.pages.done), formatCount(task.pages.total));
}

/** The cells of a task on a phone: two lines, and a bar where pages are on their way. */
export function PhoneRow({ task, selected, gone, onSelect }: TaskRowProps): ReactNode {
  const messages = useMessages(tasks);
  const stuck = useIsStuck(task.task_id);
  const words = useRowWords(task);
  return (
    <>
      {onSelect !== null && (
        <td className="task-check">
          <Checkbox checked={selected} label={messages.selectOne(nameOf(task))} onChange={(_, event) => onSelect(event)} />
        </td>
      )}
      <td className={cx('task-name', gone && 'task-gone')}>
        <Link to={taskPath(task.task_id)}>
          <FileName name={nameOf(task)} />
        </Link>
      </td>
      <td className={cx('is-number', stuck ? 'task-stuck' : 'task-soft')}>
        <InState task={task} />
      </td>
      <td className="task-line">
        <StateBadge state={task.status} />
        <PriorityChip priority={task.priority} numbered={false} />
        <span className="task-soft task-place">
          <Place task={task} />
        </span>
      </td>
      {words.share !== null && (
        <td className="task-line">
          <ProgressBar share={words.share} colour={STATE_COLOUR[task.status]} label={formatPercent(words.share)} />
        </td>
      )}
    </>
  );
}
