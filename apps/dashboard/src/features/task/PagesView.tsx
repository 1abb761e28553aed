import type { PageState, Task } from '@galley/contract';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { asApiError, retryDeadLetters } from '../../api/index.ts';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, readerPath } from '../../routing/index.ts';
import { useIsAdmin } from '../../store/index.ts';
import { SectionHead, STATE_COLOUR, StateBadge, StateMark, showToast } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';
import { pageDuration } from './timeline.model.ts';

/** Pages that stand as rows; more stand as squares. */
const ROWS_UP_TO = 12;
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

function failed({ status, error }: PageState): boolean {
  return status === 'dead_letter' || error !== undefined;
}

function PageRow({ task, page }: { task: Task; page: PageState }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const duration = page.status === 'completed' ? pageDuration(page) : null;
  return (
    <li className="page-row">
      <Link to={readerPath(task.task_id, page.page)} className="page-row-name">
        {messages.page(formatCount(page.page))}
      </Link>
      <StateBadge state={failed(page) ? 'dead_letter' : page.status} />
      {page.error !== undefined && <code className="type-code page-row-code">{page.error.code}</code>}
      {duration !== null && <span className="page-row-duration">{formats.duration(duration)}</span>}
    </li>
  );
}

/** One square per page in page order; arrows move, Enter reads. */
function PageSorts({ task, pages }: { task: Task; pages: readonly PageState[] }): ReactNode {
  const messages = useMessages(messagesOf);
  const { state } = useMessages(common);
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const step = STEPS[event.key];
    const links = list.current?.querySelectorAll<HTMLElement>('a');
    if (step === undefined || links === undefined) return;
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, index + step))]?.focus();
  };
  return (
    <ul ref={list} className="page-sorts">
      {pages.map((page, index) => (
        <li key={page.page}>
          <Link
            to={readerPath(task.task_id, page.page)}
            aria-label={messages.pageState(formatCount(page.page), state[failed(page) ? 'dead_letter' : page.status])}
            title={messages.pageState(formatCount(page.page), state[failed(page) ? 'dead_letter' : page.status])}
            tabIndex={index === 0 ? 0 : -1}
            onKeyDown={(event) => onKeyDown(event, index)}
          >
            {failed(page) ? (
              <StateMark state="dead_letter" size={10} />
            ) : (
              <i className="page-sort" style={{ background: STATE_COLOUR[page.status] }} data-state={page.status} />
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function RetryPage({ page }: { page: PageState }): ReactNode {
  const messages = useMessages(messagesOf);
  const admin = useIsAdmin();
  if (!admin || page.status !== 'dead_letter' || !page.task_id.includes('.')) return null;
  const retry = async (): Promise<void> => {
    try {
      await retryDeadLetters({ task_ids: [page.task_id] });
      showToast({ kind: 'done', sentence: messages.retried });
    } catch (error) {
      showToast({ kind: 'failed', sentence: asApiError(error).message });
    }
  };
  return (
    <button type="button" className="link" onClick={() => void retry()}>
      {messages.retryPage}
    </button>
  );
}

function FailedPages({ pages }: { pages: readonly PageState[] }): ReactNode {
  const messages = useMessages(messagesOf);
  const words = useErrorWords();
  const bad = pages.filter(failed);
  if (bad.length === 0) return null;
  return (
    <section className="failed-pages">
      <SectionHead sub title={messages.failedPages} meta={formatCount(bad.length)} />
      <ul>
        {bad.map((page) => (
          <li key={page.page} className="failed-page type-control">
            <StateMark state="dead_letter" />
            <span>
              <strong>{messages.page(formatCount(page.page))}</strong> {words(page.error?.code ?? 'unknown_error').title}{' '}
              <code className="type-code">{page.error?.code}</code>
              {page.error !== undefined && (
                <span className="type-meta failed-page-why" lang="en">
                  {page.error.message}
                </span>
              )}
            </span>
            <RetryPage page={page} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The pages of a document: as rows, or where there are many as squares. */
export function PageOverview({ task, pages }: { task: Task; pages: readonly PageState[] }): ReactNode {
  if (pages.length <= ROWS_UP_TO)
    return (
      <ul className="page-rows type-control">
        {pages.map((page) => (
          <PageRow key={page.page} task={task} page={page} />
        ))}
      </ul>
    );
  return <PageSorts task={task} pages={pages} />;
}

/** The tab of pages: all of them, and those that failed with their reasons. */
export function PagesView({ task, pages }: { task: Task; pages: readonly PageState[] }): ReactNode {
  const messages = useMessages(messagesOf);
  if (pages.length === 0) return <p className="task-none">{messages.noPages}</p>;
  return (
    <div className="pages-view">
      <PageOverview task={task} pages={pages} />
      <FailedPages pages={pages} />
    </div>
  );
}
