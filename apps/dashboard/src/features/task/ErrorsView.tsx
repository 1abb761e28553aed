import type { Task } from '@galley/contract';
import type { ReactNode } from 'react';
import { useErrorSentence } from '../../i18n/errors.ts';
import { formatCount, formatTimeExact, formatUtc, useMessages } from '../../i18n/index.ts';
import { Tooltip } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';

/** Runs that ended in an error, newest first, with their stacks. */
export function ErrorsView({ task }: { task: Task }): ReactNode {
  const messages = useMessages(messagesOf);
  const sentence = useErrorSentence();
  if (task.errors.length === 0) return <p className="task-none">{messages.noErrors}</p>;
  return (
    <ol className="errors">
      {[...task.errors].reverse().map((error) => {
        const at = Date.parse(error.at);
        return (
          <li key={`${error.at} ${error.attempt}`} className="error">
            <p className="error-head type-meta">
              <Tooltip text={formatUtc(at)}>
                <time dateTime={error.at}>{formatTimeExact(at)}</time>
              </Tooltip>
              <span>{error.attempt === 0 ? messages.crash : messages.attempt(formatCount(error.attempt))}</span>
              <code className="type-code">{error.code}</code>
            </p>
            <p className="error-message" lang="en">
              {error.message}
            </p>
            <p className="error-remedy type-control">{sentence(error.code)}</p>
            {error.stack !== undefined && (
              <pre className="stack type-code" lang="en">
                {error.stack}
              </pre>
            )}
          </li>
        );
      })}
    </ol>
  );
}
