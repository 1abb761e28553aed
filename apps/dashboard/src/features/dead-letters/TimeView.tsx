import type { Task } from '@galley/contract';
import { type ReactNode, useState } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { taskPath, useGo } from '../../routing/index.ts';
import { useIsAdmin } from '../../store/index.ts';
import { Button, Checkbox, EmptyState, PriorityChip } from '../../ui/index.ts';
import { VirtualRows } from '../../ui/VirtualRows.tsx';
import { DeadName, useDeadName } from './DeadName.tsx';
import { DiedAt, RowActions } from './GroupTasks.tsx';
import { codeOf, type Group, groupEntry, taskToggled, totalOf } from './groups.model.ts';
import { dead } from './messages.ts';
import { useChosen } from './useChosen.ts';
import { useDeadLetters } from './useDeadLetters.ts';

function Row({ task, chosen, onToggle }: { task: Task; chosen: boolean; onToggle: () => void }): ReactNode {
  const messages = useMessages(dead);
  const nameOf = useDeadName();
  const admin = useIsAdmin();
  const code = codeOf(task);
  return (
    <>
      {admin && (
        <td className="dead-time-check">
          <Checkbox checked={chosen} label={messages.select(nameOf(task))} onChange={onToggle} />
        </td>
      )}
      <td className="dead-document">
        <DeadName task={task} />
      </td>
      <td className="dead-time-code">
        <code className="type-code">{code}</code>
      </td>
      <td className="dead-time-priority">
        <PriorityChip priority={task.priority} />
      </td>
      <td className="dead-soft dead-time-user">{task.user_id ?? '–'}</td>
      <td className="dead-soft dead-error" lang="en">
        {task.errors.at(-1)?.message ?? '–'}
      </td>
      <td className="dead-soft dead-time-died">
        <DiedAt task={task} />
      </td>
      <td className="dead-time-actions">
        <RowActions task={task} code={code} />
      </td>
    </>
  );
}

/** Dead letters one by one, newest first; with a search those whose name or id begins with it. */
export function TimeView({ search, onClear, groups }: { search: string; onClear: () => void; groups: readonly Group[] }): ReactNode {
  const messages = useMessages(dead);
  const { columns } = messages;
  const admin = useIsAdmin();
  const go = useGo();
  const list = useDeadLetters({ search }, groups);
  const { selection, set } = useChosen();
  const [active, setActive] = useState<string | null>(null);
  const isChosen = (task: Task): boolean => selection.ids.has(task.task_id) || selection.ids.has(groupEntry(codeOf(task)));
  if (list.error !== undefined) return <EmptyState title={messages.failed} text={list.error.message} />;
  if (list.loading) return null;
  if (list.rows.length === 0)
    return (
      <EmptyState title={messages.noMatch} actions={search === '' ? undefined : <Button onClick={onClear}>{messages.clear}</Button>} />
    );
  const sameCode = (code: string): readonly string[] => list.rows.filter((task) => codeOf(task) === code).map(({ task_id }) => task_id);
  return (
    <VirtualRows
      label={messages.list}
      className={admin ? 'dead-time dead-time--admin' : 'dead-time'}
      rows={list.rows}
      rowKey={(task) => task.task_id}
      rowHeight={41}
      total={search === '' ? totalOf(groups) : list.total}
      active={active}
      onActive={setActive}
      onOpen={(task) => go(taskPath(task.task_id))}
      onEnd={list.more}
      {...(admin ? { selected: isChosen } : {})}
      head={
        <>
          {admin && (
            <th scope="col">
              <span className="visually-hidden">{columns.select}</span>
            </th>
          )}
          <th scope="col">{columns.document}</th>
          <th scope="col">{columns.code}</th>
          <th scope="col">{columns.priority}</th>
          <th scope="col">{columns.user}</th>
          <th scope="col">{columns.error}</th>
          <th scope="col" className="dead-time-died">
            {columns.died}
          </th>
          <th scope="col">
            <span className="visually-hidden">{columns.actions}</span>
          </th>
        </>
      }
    >
      {(task) => (
        <Row
          task={task}
          chosen={isChosen(task)}
          onToggle={() => set(taskToggled(selection, task.task_id, codeOf(task), sameCode(codeOf(task))))}
        />
      )}
    </VirtualRows>
  );
}
