import type { Task } from '@galley/contract';
import type { ReactNode } from 'react';
import { errorWords } from '../../i18n/errors.ts';
import { common, formatCount, formatTime, formatUtc, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, readerPath, taskPath } from '../../routing/index.ts';
import { serverNow, useIsAdmin } from '../../store/index.ts';
import { Cell, Checkbox, cx, HeadCell, PriorityChip, Table, Tooltip } from '../../ui/index.ts';
import { useAsking } from './Asking.tsx';
import { DeadName, useDeadName } from './DeadName.tsx';
import { type Group, groupEntry, taskToggled } from './groups.model.ts';
import { dead } from './messages.ts';
import { useChosen } from './useChosen.ts';
import { useDeadLetters } from './useDeadLetters.ts';

/** When it died: the time today, else the date too. */
export function DiedAt({ task }: { task: Task }): ReactNode {
  const formats = useFormats();
  if (task.finished_at === undefined) return '–';
  const at = Date.parse(task.finished_at);
  const today = new Date(at).toDateString() === new Date(serverNow() ?? at).toDateString();
  return (
    <Tooltip text={formatUtc(at)}>
      <time dateTime={task.finished_at}>{today ? formatTime(at) : formats.date(at)}</time>
    </Tooltip>
  );
}

export function RowActions({ task, code }: { task: Task; code: string }): ReactNode {
  const messages = useMessages(dead);
  const { retry } = useMessages(common);
  const admin = useIsAdmin();
  const { retryOne } = useAsking();
  const nameOf = useDeadName();
  const { parent_id: parent, page } = task;
  return (
    <span className="row-actions">
      {admin && errorWords(code, 'en').revivable && (
        <button type="button" className="link" aria-label={`${retry}, ${nameOf(task)}`} onClick={() => retryOne(task.task_id)}>
          {retry}
        </button>
      )}
      {parent !== undefined && page !== undefined ? (
        <Link to={readerPath(parent, page)} className="link" aria-label={`${messages.openPage}, ${nameOf(task)}`}>
          {messages.openPage}
        </Link>
      ) : (
        <Link to={taskPath(task.task_id)} className="link" aria-label={`${messages.openTask}, ${nameOf(task)}`}>
          {messages.openTask}
        </Link>
      )}
    </span>
  );
}

function TaskRow({ task, code, shown }: { task: Task; code: string; shown: readonly string[] }): ReactNode {
  const messages = useMessages(dead);
  const admin = useIsAdmin();
  const { selection, set } = useChosen();
  const nameOf = useDeadName();
  const chosen = selection.ids.has(groupEntry(code)) || selection.ids.has(task.task_id);
  return (
    <tr className={cx(chosen && 'is-selected')}>
      {admin && (
        <Cell className="dead-check">
          <Checkbox
            checked={chosen}
            label={messages.select(nameOf(task))}
            onChange={() => set(taskToggled(selection, task.task_id, code, shown))}
          />
        </Cell>
      )}
      <Cell className="dead-document">
        <DeadName task={task} />
      </Cell>
      <Cell>
        <PriorityChip priority={task.priority} />
      </Cell>
      <Cell className="dead-soft dead-user" title={task.user_id}>
        {task.user_id ?? '–'}
      </Cell>
      <Cell className="dead-soft dead-error" lang="en">
        {task.errors.at(-1)?.message ?? '–'}
      </Cell>
      <Cell number className="dead-soft">
        <DiedAt task={task} />
      </Cell>
      <Cell number className="dead-actions">
        <RowActions task={task} code={code} />
      </Cell>
    </tr>
  );
}

/** The dead letters of one code, newest first. */
export function GroupTasks({ group, groups }: { group: Group; groups: readonly Group[] }): ReactNode {
  const messages = useMessages(dead);
  const { columns } = messages;
  const admin = useIsAdmin();
  const list = useDeadLetters({ code: group.code }, groups);
  const shown = list.rows.map(({ task_id }) => task_id);
  const left = group.count - list.rows.length;
  if (list.error !== undefined) return <p className="dead-note">{messages.failed}</p>;
  if (list.loading) return <p className="dead-note" />;
  return (
    <div className="dead-tasks">
      <Table label={messages.listOf(group.code)} bleed>
        <thead>
          <tr>
            {admin && (
              <HeadCell className="dead-check">
                <span className="visually-hidden">{columns.select}</span>
              </HeadCell>
            )}
            <HeadCell>{columns.document}</HeadCell>
            <HeadCell>{columns.priority}</HeadCell>
            <HeadCell>{columns.user}</HeadCell>
            <HeadCell>{columns.error}</HeadCell>
            <HeadCell number>{columns.died}</HeadCell>
            <HeadCell number>
              <span className="visually-hidden">{columns.actions}</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {list.rows.map((task) => (
            <TaskRow key={task.task_id} task={task} code={group.code} shown={shown} />
          ))}
        </tbody>
      </Table>
      {list.hasMore && (
        <button type="button" className="dead-more type-control" onClick={list.more}>
          {left > 0 ? messages.more(formatCount(left)) : messages.moreSome}
        </button>
      )}
    </div>
  );
}
