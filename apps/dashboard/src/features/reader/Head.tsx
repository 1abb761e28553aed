import type { PageState, Task } from '@galley/contract';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { asApiError, retryDeadLetters } from '../../api/index.ts';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { Link, taskPath } from '../../routing/index.ts';
import { useIsAdmin } from '../../store/index.ts';
import { FileName, StateMark, showToast, Tooltip } from '../../ui/index.ts';
import { DownloadMenu } from './DownloadMenu.tsx';
import { reader } from './messages.ts';

type Messages = (typeof reader)['en'];

/** Puts page tasks back in line, and says how many went. */
async function retryPages(pages: readonly PageState[], messages: Messages): Promise<void> {
  const [first] = pages;
  if (first === undefined) return;
  try {
    const answer = await retryDeadLetters({ task_ids: pages.map(({ task_id }) => task_id) });
    const skipped = 'skipped' in answer ? answer.skipped.length : 0;
    if (skipped > 0) showToast({ kind: 'failed', sentence: messages.retrySkipped(formatCount(skipped)) });
    const done = pages.length - skipped;
    if (done > 0)
      showToast({ kind: 'done', sentence: done === 1 ? messages.retried(String(first.page)) : messages.retriedMany(formatCount(done)) });
  } catch (error) {
    showToast({ kind: 'failed', sentence: asApiError(error).message });
  }
}

/** Retry of failed pages; only an admin sees it. */
export function RetryPages({ pages, className = 'link' }: { pages: readonly PageState[]; className?: string }): ReactNode {
  const messages = useMessages(reader);
  const admin = useIsAdmin();
  // A page of a short document has no task of its own that could be revived.
  const dead = pages.filter(({ status, task_id }) => status === 'dead_letter' && task_id.includes('.'));
  if (!admin || dead.length === 0) return null;
  return (
    <button type="button" className={className} onClick={() => void retryPages(dead, messages)}>
      {dead.length === 1 ? messages.retryPage : messages.retryPages(formatCount(dead.length))}
    </button>
  );
}

/** Pages that failed: dead page tasks, and pages that their document could not read. */
export function failedPages(pages: readonly PageState[]): readonly PageState[] {
  return pages.filter(({ status, error }) => status === 'dead_letter' || error !== undefined);
}

function Progress({ task, pages, total }: { task: Task; pages: readonly PageState[]; total: number | null }): ReactNode {
  const messages = useMessages(reader);
  const failed = failedPages(pages);
  const [first] = failed;
  const read = pages.filter(({ status, error }) => status === 'completed' && error === undefined).length;
  const finished = task.status === 'completed';
  const text = finished
    ? total === null || total === 1
      ? messages.onePage
      : messages.pages(formatCount(total))
    : total === null
      ? null
      : messages.pagesRead(formatCount(read), formatCount(total));
  return (
    <>
      {text !== null &&
        (finished ? (
          <span className="reader-meta type-meta">{text}</span>
        ) : (
          <span className={`badge badge--${task.status}`}>
            <StateMark state={task.status} />
            {text}
          </span>
        ))}
      {first !== undefined && (
        <span className="reader-failed type-control">
          <StateMark state="dead_letter" />
          {failed.length === 1
            ? messages.pageFailed(String(first.page), first.error?.code ?? 'unknown_error')
            : messages.pagesFailed(formatCount(failed.length))}
          <RetryPages pages={failed} />
        </span>
      )}
    </>
  );
}

/** The reader's head: the way back, the file, how far it is and what failed. */
export function Head({
  id,
  task,
  pages,
  total,
  phone,
}: {
  id: string;
  task: Task | undefined;
  pages: readonly PageState[];
  total: number | null;
  phone: boolean;
}): ReactNode {
  const messages = useMessages(reader);
  return (
    <div className="reader-head">
      <Tooltip text={messages.back}>
        <Link to={taskPath(id)} className="button button--quiet button--icon reader-back" aria-label={messages.back}>
          <ArrowLeft aria-hidden="true" />
        </Link>
      </Tooltip>
      <h1 className="reader-name" tabIndex={-1}>
        <FileName name={task?.filename ?? id} />
      </h1>
      {task !== undefined && <Progress task={task} pages={pages} total={total} />}
      {phone && task !== undefined && <DownloadMenu task={task} bare />}
    </div>
  );
}
