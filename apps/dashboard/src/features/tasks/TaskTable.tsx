import type { Task } from '@galley/contract';
import type { ReactNode } from 'react';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { taskPath, useGo } from '../../routing/index.ts';
import { type Selection, useIsAdmin } from '../../store/index.ts';
import { Checkbox, cx } from '../../ui/index.ts';
import { VirtualRows } from '../../ui/VirtualRows.tsx';
import { stillMatches, type TaskFilter } from './filter.model.ts';
import { tasks } from './messages.ts';
import { ListClock } from './rowWords.tsx';
import { PhoneRow, TaskRow, useTaskNow } from './TaskRow.tsx';

export interface TaskTableProps {
  readonly rows: readonly Task[];
  readonly total: number | null;
  readonly filter: TaskFilter;
  readonly selection: Selection;
  readonly phone: boolean;
  /** On a phone boxes are drawn only while a person selects. */
  readonly selecting: boolean;
  readonly active: string | null;
  readonly onActive: (id: string) => void;
  readonly onToggle: (id: string, range: boolean) => void;
  readonly onAll: () => void;
  readonly onNone: () => void;
  readonly onMatching: (all: boolean) => void;
  readonly onEnd: () => void;
}

function Cells({ task, props }: { task: Task; props: TaskTableProps }): ReactNode {
  const admin = useIsAdmin();
  const now = useTaskNow(task);
  const Row = props.phone ? PhoneRow : TaskRow;
  const selectable = admin && (!props.phone || props.selecting);
  const gone = !stillMatches(props.filter, now);
  return (
    <Row
      task={now}
      gone={gone}
      selected={props.selection.allMatching || props.selection.ids.has(task.task_id)}
      onSelect={selectable ? ({ shiftKey }) => props.onToggle(task.task_id, shiftKey) : null}
    />
  );
}

function Head({ props }: { props: TaskTableProps }): ReactNode {
  const messages = useMessages(tasks);
  const { columns } = messages;
  const admin = useIsAdmin();
  const { rows, selection } = props;
  const all = selection.allMatching || (rows.length > 0 && rows.every(({ task_id }) => selection.ids.has(task_id)));
  const checked = all ? true : selection.ids.size > 0 ? 'some' : false;
  return (
    <>
      {admin && (
        <th scope="col" className="task-check">
          <Checkbox checked={checked} label={messages.selectAll} onChange={() => (all ? props.onNone() : props.onAll())} />
        </th>
      )}
      <th scope="col">{columns.state}</th>
      <th scope="col">{columns.document}</th>
      <th scope="col">{columns.priority}</th>
      <th scope="col" className="task-user">
        {columns.user}
      </th>
      <th scope="col">{columns.pages}</th>
      <th scope="col" className="is-number">
        {columns.inState}
      </th>
      <th scope="col" className="is-number task-attempts">
        {columns.attempts}
      </th>
      <th scope="col" className="is-number">
        {columns.where}
      </th>
    </>
  );
}

/** Under the head once all shown are selected: the offer of all that match, or the way back. */
function Offer({ props }: { props: TaskTableProps }): ReactNode {
  const messages = useMessages(tasks);
  const { rows, selection, total } = props;
  const shown = formatCount(rows.length);
  const allShown = rows.length > 0 && rows.every(({ task_id }) => selection.ids.has(task_id));
  const more = total === null || total > rows.length;
  if (!selection.allMatching && !(allShown && more)) return null;
  const sentence = selection.allMatching
    ? total === null
      ? messages.allSelectedSome
      : messages.allSelected(formatCount(total))
    : messages.shownSelected(shown);
  const offer = selection.allMatching
    ? messages.selectShown(shown)
    : total === null
      ? messages.selectMatchingSome
      : messages.selectMatching(formatCount(total));
  return (
    <tr className="task-offer">
      <td className="type-control">
        <strong>{sentence}</strong>
        <button type="button" className="link" onClick={() => props.onMatching(!selection.allMatching)}>
          {offer}
        </button>
      </td>
    </tr>
  );
}

/** The list itself: a grid of any length, whose rows change in place and never move by themselves. */
export function TaskTable(props: TaskTableProps): ReactNode {
  const messages = useMessages(tasks);
  const admin = useIsAdmin();
  const go = useGo();
  const { phone, selection } = props;
  return (
    <ListClock>
      <VirtualRows
        label={messages.list}
        className={cx('task-rows', phone && 'task-rows--phone', admin && !phone && 'task-rows--admin', props.selecting && 'is-selecting')}
        rows={props.rows}
        rowKey={(task) => task.task_id}
        rowHeight={phone ? 80 : 40}
        total={props.total}
        active={props.active}
        onActive={props.onActive}
        onOpen={(task) => go(taskPath(task.task_id))}
        onEnd={props.onEnd}
        {...(admin ? { selected: (task: Task) => selection.allMatching || selection.ids.has(task.task_id) } : {})}
        {...(phone ? {} : { head: <Head props={props} />, notice: <Offer props={props} /> })}
      >
        {(task) => <Cells task={task} props={props} />}
      </VirtualRows>
    </ListClock>
  );
}
