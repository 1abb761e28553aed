import type { PageState, Task } from '@galley/contract';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/index.ts';
import { useErrorSentence, useErrorWords } from '../../i18n/errors.ts';
import { common, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, PATHS, taskPath } from '../../routing/index.ts';
import { Button, EmptyState } from '../../ui/index.ts';
import { RetryPages } from './Head.tsx';
import { reader } from './messages.ts';

function OpenTask({ id }: { id: string }): ReactNode {
  const messages = useMessages(reader);
  return (
    <Link to={taskPath(id)} className="button button--secondary">
      {messages.openTask}
    </Link>
  );
}

function FailedPage({ page, state }: { page: number; state: PageState }): ReactNode {
  const messages = useMessages(reader);
  const sentence = useErrorSentence();
  const code = state.error?.code ?? 'unknown_error';
  return (
    <EmptyState
      title={messages.failedTitle(String(page), code)}
      text={
        <>
          {sentence(code)} {messages.others}
          {state.error !== undefined && (
            <span className="reader-detail type-meta" lang="en">
              {state.error.message}
            </span>
          )}
        </>
      }
      actions={<RetryPages pages={[state]} className="button button--secondary" />}
    />
  );
}

function Failure({ error, id, reload }: { error: ApiError; id: string; reload: () => void }): ReactNode {
  const messages = useMessages(reader);
  const words = useErrorWords();
  const { tryAgain } = useMessages(common);
  if (error.code === 'result_expired')
    return (
      <EmptyState
        tray
        title={messages.gone}
        text={messages.goneText}
        actions={
          <Link to={PATHS.upload} className="button button--primary">
            {messages.upload}
          </Link>
        }
      />
    );
  return (
    <EmptyState
      title={words(error.code).title}
      text={words(error.code).remedy}
      actions={
        <>
          <Button onClick={reload}>{tryAgain}</Button>
          <OpenTask id={id} />
        </>
      }
    />
  );
}

/** What stands where a page cannot be read: why, and what follows. */
export function Instead({
  id,
  task,
  page,
  state,
  error,
  reload,
}: {
  id: string;
  task: Task | undefined;
  page: number;
  state: PageState | undefined;
  error: ApiError | undefined;
  reload: () => void;
}): ReactNode {
  const messages = useMessages(reader);
  const formats = useFormats();
  const sentence = useErrorSentence();
  if (error !== undefined) return <Failure error={error} id={id} reload={reload} />;
  if (state !== undefined && (state.status === 'dead_letter' || state.error !== undefined)) return <FailedPage page={page} state={state} />;
  if (task === undefined) return null;
  const ended = task.status === 'dead_letter' || task.status === 'cancelled';
  const status = ended ? task.status : (state?.status ?? task.status);
  const code = task.errors.at(-1)?.code;
  // Its result is on its way to the browser: a sentence that flashes would be worse than none.
  if (status === 'completed') return null;
  const place = task.position === undefined ? '' : `${messages.inLine(formats.ordinal(task.position))} `;
  const text = ended ? (code === undefined ? undefined : sentence(code)) : `${place}${messages.unreadText}`;
  return <EmptyState title={messages.unread[status]} text={text} actions={ended ? <OpenTask id={id} /> : undefined} />;
}
