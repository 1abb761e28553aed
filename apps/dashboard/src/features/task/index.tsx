import type { PageState, Task } from '@galley/contract';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ApiError } from '../../api/index.ts';
import { useErrorSentence } from '../../i18n/errors.ts';
import { common, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, PATHS, useParams } from '../../routing/index.ts';
import { useServerNow } from '../../store/index.ts';
import {
  Alert,
  Button,
  CopyButton,
  EmptyState,
  Id,
  PageHead,
  SectionHead,
  StateBadge,
  shownName,
  Tabs,
  titleName,
} from '../../ui/index.ts';
import { Actions } from './Actions.tsx';
import { ErrorsView } from './ErrorsView.tsx';
import { FactsList } from './FactsList.tsx';
import { Lease } from './Lease.tsx';
import { task as messagesOf } from './messages.ts';
import { PageOverview, PagesView } from './PagesView.tsx';
import './task.css';
import { Timeline } from './Timeline.tsx';
import { type TaskDetail, useTask } from './useTask.ts';

const TABS = ['timeline', 'pages', 'errors', 'payload', 'json'] as const;
type TabName = (typeof TABS)[number];
const PANEL = 'task-view';

/** The line under the title: how far it is, and since when or until when. By itself, so that a second draws only it. */
function Summary({ task }: { task: Task }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const now = useServerNow();
  const parts: string[] = [];
  const { pages, started_at: started, due_at: due, finished_at: finished } = task;
  if (pages !== undefined && pages.total > 0) parts.push(messages.pagesRead(formatCount(pages.done), formatCount(pages.total)));
  if (now === null) return parts.join(' · ');
  switch (task.status) {
    case 'processing':
      if (started !== undefined) parts.push(messages.running(formats.duration(Math.max(0, now - Date.parse(started)))));
      break;
    case 'pending':
      parts.push(task.position === undefined ? messages.waitsInLine : messages.inLine(formats.ordinal(task.position)));
      break;
    case 'retrying':
      if (due !== undefined) parts.push(messages.dueIn(formats.relative(Math.max(now, Date.parse(due)), now)));
      break;
    case 'scheduled':
      if (due !== undefined) parts.push(messages.startsAt(formats.relative(Math.max(now, Date.parse(due)), now)));
      break;
    case 'waiting':
      parts.push(messages.waitsForPages);
      break;
    default:
      if (finished !== undefined) parts.push(messages.finished(formats.relative(Date.parse(finished), now)));
  }
  return parts.join(' · ');
}

function Payload({ task }: { task: Task }): ReactNode {
  const messages = useMessages(messagesOf);
  const { type, filename, sha256, size_bytes, engine, user_id, parent_id, page } = task;
  const text = JSON.stringify({ type, filename, sha256, size_bytes, engine, user_id, parent_id, page }, null, 2);
  return <Json text={text} note={messages.payloadNote} />;
}

function Json({ text, note }: { text: string; note?: string }): ReactNode {
  const messages = useMessages(messagesOf);
  return (
    <div className="task-json">
      <div className="task-json-head type-meta">
        <span>{note}</span>
        <CopyButton text={text} label={messages.copyJson} />
      </div>
      <pre className="type-code">{text}</pre>
    </div>
  );
}

function View({ tab, detail, task }: { tab: TabName; detail: TaskDetail; task: Task }): ReactNode {
  switch (tab) {
    case 'timeline':
      return detail.events === undefined ? null : <Timeline task={task} events={detail.events} pages={detail.pages} />;
    case 'pages':
      return <PagesView task={task} pages={detail.pages} />;
    case 'errors':
      return <ErrorsView task={task} />;
    case 'payload':
      return <Payload task={task} />;
    case 'json':
      return <Json text={JSON.stringify(task, null, 2)} />;
  }
}

function Place({ place }: { place: number }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  return (
    <section className="lease" aria-label={messages.place}>
      <h2 className="type-section">{messages.place}</h2>
      <p className="lease-left">
        <span className="type-figure-xl">{formats.ordinal(place)}</span>
      </p>
    </section>
  );
}

function Aside({ detail, task }: { detail: TaskDetail; task: Task }): ReactNode {
  const messages = useMessages(messagesOf);
  const { pages } = detail;
  const events = detail.events ?? [];
  return (
    <aside className="task-aside" aria-label={messages.facts}>
      {task.status === 'processing' && task.lease_expires_at !== undefined && (
        <Lease task={task} events={events} expiresAt={task.lease_expires_at} />
      )}
      {task.status === 'pending' && task.position !== undefined && <Place place={task.position} />}
      <FactsList task={task} events={events} />
      {pages.length > 0 && (
        <section className="task-pages-section">
          <SectionHead title={messages.pages} meta={messages.pagesIn(formatCount(pages.length))} />
          <PageOverview task={task} pages={pages} />
        </section>
      )}
    </aside>
  );
}

function Crumbs({ id }: { id: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const { page } = useMessages(common);
  return (
    <nav className="crumbs type-control" aria-label={messages.crumbs}>
      <Link to={PATHS.tasks} className="link">
        {page.tasks}
      </Link>
      <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" />
      <Id id={id} whole />
      <CopyButton text={id} label={messages.copyId} />
    </nav>
  );
}

function Failure({ error, reload }: { error: ApiError; reload: () => void }): ReactNode {
  const messages = useMessages(messagesOf);
  const { tryAgain } = useMessages(common);
  const sentence = useErrorSentence();
  if (error.code === 'task_not_found')
    return (
      <EmptyState
        title={messages.notFound}
        text={messages.notFoundText}
        actions={
          <Link to={PATHS.tasks} className="button button--secondary">
            {messages.toTasks}
          </Link>
        }
      />
    );
  return (
    <Alert kind="error" what={messages.loadFailed} why={sentence(error.code)} actions={<Button onClick={reload}>{tryAgain}</Button>} />
  );
}

function hintsOf(task: Task, pages: readonly PageState[]): Partial<Record<TabName, string>> {
  const done = pages.filter(({ status, error }) => status === 'completed' && error === undefined).length;
  return {
    ...(pages.length > 0 ? { pages: `${formatCount(done)} / ${formatCount(pages.length)}` } : {}),
    ...(task.errors.length > 0 ? { errors: formatCount(task.errors.length) } : {}),
  };
}

function Detail({ detail, task }: { detail: TaskDetail; task: Task }): ReactNode {
  const messages = useMessages(messagesOf);
  const [tab, setTab] = useState<TabName>('timeline');
  const hints = hintsOf(task, detail.pages);
  return (
    <div className="task">
      <div className="task-main">
        <Tabs
          label={messages.views}
          panel={PANEL}
          value={tab}
          onChoose={setTab}
          tabs={TABS.filter((value) => value !== 'pages' || task.type !== 'page').map((value) => ({
            value,
            label: messages.tabs[value],
            hint: hints[value],
          }))}
        />
        <div id={PANEL} role="tabpanel" aria-label={messages.tabs[tab]} className="task-panel">
          <View tab={tab} detail={detail} task={task} />
        </div>
      </div>
      <Aside detail={detail} task={task} />
    </div>
  );
}

/** One head from the first moment on, by its id until its name is known: the focus stays on a title that only changes its words. */
function Head({ id, detail: { task, pages } }: { id: string; detail: TaskDetail }): ReactNode {
  const messages = useMessages(messagesOf);
  const name = shownName(task?.filename ?? id);
  const shown = titleName(name);
  const page = task?.page === undefined ? null : messages.page(String(task.page));
  const title = page === null ? name : `${name}, ${page}`;
  const known = task !== undefined;
  useEffect(() => {
    if (known) document.title = `${title} · Galley`;
  }, [known, title]);
  return (
    <PageHead
      above={<Crumbs id={id} />}
      title={<span title={shown === name ? undefined : name}>{page === null ? shown : `${shown}, ${page}`}</span>}
      {...(task === undefined
        ? {}
        : {
            beside: <StateBadge state={task.status} />,
            sub: <Summary task={task} />,
            actions: <Actions task={task} pages={pages} name={name} />,
          })}
    />
  );
}

/** One task: every step it took, its lease, what is known of it, and what may be done. */
export default function TaskPage(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const detail = useTask(id);
  const { task, error } = detail;
  return (
    <>
      <Head id={id} detail={detail} />
      {task !== undefined && <Detail key={id} detail={detail} task={task} />}
      {error !== undefined && <Failure error={error} reload={detail.reload} />}
    </>
  );
}
