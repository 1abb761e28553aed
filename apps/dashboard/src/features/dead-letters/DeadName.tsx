import type { Task } from '@galley/contract';
import type { ReactNode } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { Link, taskPath } from '../../routing/index.ts';
import { FileName, shortId } from '../../ui/index.ts';
import { dead } from './messages.ts';

/** What a dead letter is called: its file, and on a page task its page. */
export function useDeadName(): (task: Task) => string {
  const messages = useMessages(dead);
  return (task) => {
    const name = task.filename ?? shortId(task.parent_id ?? task.task_id);
    return task.page === undefined ? name : messages.page(name, String(task.page));
  };
}

export function DeadName({ task }: { task: Task }): ReactNode {
  const nameOf = useDeadName();
  return (
    <Link to={taskPath(task.task_id)} className="dead-name link">
      <FileName name={nameOf(task)} />
    </Link>
  );
}
