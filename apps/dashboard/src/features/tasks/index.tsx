import type { Task } from '@galley/contract';
import { Check, Link as LinkIcon } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { CursorList } from '../../api/useCursorList.ts';
import { useErrorSentence } from '../../i18n/errors.ts';
import { common, formatCount, useMessages } from '../../i18n/index.ts';
import { Link, PATHS } from '../../routing/index.ts';
import { NO_SELECTION, useIsAdmin, useStore } from '../../store/index.ts';
import { Alert, Button, EmptyState, PageHead, PHONE, Rich, useMedia } from '../../ui/index.ts';
import { BulkActions } from './BulkActions.tsx';
import { FilterBar } from './Chips.tsx';
import { isFiltered, type TaskFilter } from './filter.model.ts';
import { tasks } from './messages.ts';
import './tasks.css';
import { TaskTable } from './TaskTable.tsx';
import { useListKeys } from './useListKeys.ts';
import { useArrivals, useTaskFilter, useTaskList } from './useTasks.ts';

const LIST = 'tasks';

function CopyLink(): ReactNode {
  const messages = useMessages(tasks);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2_000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      icon={copied ? <Check /> : <LinkIcon />}
      onClick={() => void navigator.clipboard.writeText(window.location.href).then(() => setCopied(true))}
    >
      {copied ? messages.copied : messages.copyLink}
    </Button>
  );
}

function Summary({ total, filter, onTurn }: { total: number | null; filter: TaskFilter; onTurn: () => void }): ReactNode {
  const messages = useMessages(tasks);
  const queue = useStore((state) => state.queue);
  const text =
    total === null ? messages.inQueue(queue) : total === 1 ? messages.matchOne(queue) : messages.match(formatCount(total), queue);
  return (
    <>
      <Rich text={text} />
      {' · '}
      <button type="button" className="task-order" aria-label={`${messages.orders[filter.order]}. ${messages.turn}`} onClick={onTurn}>
        {messages.orders[filter.order]}
      </button>
    </>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }): ReactNode {
  const messages = useMessages(tasks);
  if (filtered) return <EmptyState title={messages.none} actions={<Button onClick={onClear}>{messages.clear}</Button>} />;
  return (
    <EmptyState
      tray
      title={messages.empty}
      text={messages.emptyText}
      actions={
        <Link to={PATHS.upload} className="button button--secondary">
          {messages.upload}
        </Link>
      }
    />
  );
}

function Failure({ code, reload }: { code: string; reload: () => void }): ReactNode {
  const messages = useMessages(tasks);
  const { tryAgain } = useMessages(common);
  const sentence = useErrorSentence();
  return (
    <div className="alerts task-alerts">
      <Alert
        kind="error"
        what={messages.failed}
        why={sentence(code)}
        actions={
          <button type="button" className="link" onClick={reload}>
            {tryAgain}
          </button>
        }
      />
    </div>
  );
}

/** The list's selection, its keys and the table. */
function List({
  list,
  filter,
  phone,
  selecting,
  onTake,
}: {
  list: CursorList<Task>;
  filter: TaskFilter;
  phone: boolean;
  selecting: boolean;
  onTake: () => void;
}): ReactNode {
  const admin = useIsAdmin();
  const selection = useStore((state) => state.selections[LIST]) ?? NO_SELECTION;
  const { selectionToggled, selectionExtended, selectionOfAll, selectionSet, selectionCleared } = useStore.getState();
  const [active, setActive] = useState<string | null>(null);
  const order = useMemo(() => list.rows.map(({ task_id }) => task_id), [list.rows]);
  const clear = useCallback(() => selectionCleared(LIST), [selectionCleared]);
  const all = useCallback(() => {
    if (admin) selectionOfAll(LIST, order);
  }, [admin, order, selectionOfAll]);
  useEffect(() => clear, [clear, filter]);
  useListKeys({
    order,
    active,
    setActive,
    toggle: (id) => admin && selectionToggled(LIST, id),
    extend: (id) => admin && selectionExtended(LIST, id, order),
    selectAll: all,
    clear,
    take: onTake,
  });
  const count = selection.allMatching ? list.total : selection.ids.size;
  return (
    <>
      <TaskTable
        rows={list.rows}
        total={list.total}
        filter={filter}
        selection={selection}
        phone={phone}
        selecting={selecting}
        active={active}
        onActive={setActive}
        onToggle={(id, range) => (range ? selectionExtended(LIST, id, order) : selectionToggled(LIST, id))}
        onAll={() => selectionOfAll(LIST, order)}
        onNone={clear}
        onMatching={(matching) => selectionSet(LIST, { ids: new Set(order), allMatching: matching, anchor: null })}
        onEnd={list.more}
      />
      {admin && count !== 0 && <BulkActions aim={{ selection, filter, count, rows: list.rows }} onClear={clear} />}
    </>
  );
}

/** Every task of the queue, by a filter that is kept in the address. */
export default function TasksPage(): ReactNode {
  const messages = useMessages(tasks);
  const { page } = useMessages(common);
  const phone = useMedia(PHONE);
  const admin = useIsAdmin();
  const [selecting, setSelecting] = useState(false);
  const { filter, set, clear } = useTaskFilter();
  const read = useTaskList(filter);
  const arrivals = useArrivals(filter, read);
  // One count for the head, the offer to take all of them, and what an action says: the newest.
  const list = { ...read, total: arrivals.total ?? read.total };
  const take = (): void => {
    list.reload();
    window.scrollTo(0, 0);
  };
  return (
    <>
      <PageHead
        title={page.tasks}
        sub={<Summary total={list.total} filter={filter} onTurn={() => set({ order: filter.order === 'newest' ? 'oldest' : 'newest' })} />}
        actions={
          phone ? (
            admin ? (
              <Button aria-pressed={selecting} onClick={() => setSelecting(!selecting)}>
                {selecting ? messages.selectDone : messages.select}
              </Button>
            ) : undefined
          ) : (
            <CopyLink />
          )
        }
      />
      <FilterBar filter={filter} set={set} clear={clear} rows={list.rows} arrivals={arrivals.count} onTake={take} />
      {list.error !== undefined && <Failure code={list.error.code} reload={list.reload} />}
      {list.rows.length > 0 && <List list={list} filter={filter} phone={phone} selecting={selecting} onTake={take} />}
      {list.rows.length === 0 && !list.loading && list.error === undefined && <Nothing filtered={isFiltered(filter)} onClear={clear} />}
    </>
  );
}
