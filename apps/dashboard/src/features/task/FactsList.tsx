import type { Task, TaskEvent } from '@galley/contract';
import type { ReactNode } from 'react';
import { formatBytes, formatCount, formatTime, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, readerPath, taskPath } from '../../routing/index.ts';
import { useServerNow } from '../../store/index.ts';
import { CopyButton, type Fact, Facts, PriorityChip } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';
import { firstWait, shardOf } from './timeline.model.ts';

function When({ at }: { at: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const now = useServerNow();
  const time = Date.parse(at);
  if (now === null) return formatTime(time);
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString();
  return sameDay ? messages.timeAgo(formatTime(time), formats.relative(time, now)) : formats.date(time);
}

function ResultKept({ until }: { until: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const now = useServerNow();
  const at = Date.parse(until);
  if (now === null) return '–';
  return at > now ? messages.keptUntil(formats.moment(at, now)) : messages.keptNot;
}

function useFacts(task: Task, events: readonly TaskEvent[]): readonly (Fact | null)[] {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const { fact } = messages;
  const shard = shardOf(task);
  const wait = firstWait(events);
  const { started_at: started, finished_at: finished, sha256, parent_id: parent, page } = task;
  const one = (id: keyof typeof fact, value: ReactNode): Fact => ({ id, label: fact[id], value });
  return [
    one('queue', shard === null ? task.queue : messages.queueShard(task.queue, shard)),
    parent === undefined
      ? null
      : one(
          'document',
          <Link to={taskPath(parent)} className="link">
            {messages.openDocument}
          </Link>,
        ),
    parent === undefined || page === undefined
      ? null
      : one(
          'page',
          <Link to={readerPath(parent, page)} className="link">
            {messages.page(String(page))}
          </Link>,
        ),
    one('priority', <PriorityChip priority={task.priority} />),
    task.user_id === undefined ? null : one('user', task.user_id),
    one('fence', formatCount(task.fence)),
    one('attempts', messages.attemptsOf(formatCount(task.attempts), formatCount(task.max_retries))),
    one('crashes', formatCount(task.crashes)),
    task.engine === undefined ? null : one('engine', task.engine),
    one('submitted', <When at={task.created_at} />),
    wait === null ? null : one('waited', messages.inFirstLine(formats.duration(wait))),
    started !== undefined && finished !== undefined && task.status === 'completed'
      ? one('ran', formats.duration(Date.parse(finished) - Date.parse(started)))
      : null,
    finished === undefined ? null : one('ended', <When at={finished} />),
    task.size_bytes === undefined ? null : one('size', formatBytes(task.size_bytes)),
    sha256 === undefined
      ? null
      : one(
          'hash',
          <span className="fact-hash">
            <code className="type-code">{`${sha256.slice(0, 8)}…${sha256.slice(-8)}`}</code>
            <CopyButton text={sha256} />
          </span>,
        ),
    task.result_expires_at === undefined ? null : one('result', <ResultKept until={task.result_expires_at} />),
  ];
}

/** What is known of the task, each with its name. */
export function FactsList({ task, events }: { task: Task; events: readonly TaskEvent[] }): ReactNode {
  const messages = useMessages(messagesOf);
  const facts = useFacts(task, events).filter((fact) => fact !== null);
  return (
    <div className="task-facts">
      <Facts facts={facts} label={messages.facts} />
    </div>
  );
}
