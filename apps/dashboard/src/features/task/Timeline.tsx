import type { PageState, Task, TaskEvent } from '@galley/contract';
import { Ban, CircleAlert, Inbox, Layers, RefreshCw, SlidersHorizontal, Undo2, Unplug } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { formatCount, formatTimeExact, formatUtc, useFormats, useMessages } from '../../i18n/index.ts';
import { Rich, StateMark, Tooltip } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';
import { pageDuration, pageSpan, type Run, runsOf, type Step, type StepEvent } from './timeline.model.ts';

const icon = { size: 14, strokeWidth: 1.75, 'aria-hidden': true } as const;
const ICONS: Readonly<Record<StepEvent['event'], ReactNode>> = {
  submitted: <Inbox {...icon} />,
  claimed: <StateMark state="processing" />,
  renewed: <RefreshCw {...icon} />,
  fanned_out: <Layers {...icon} />,
  completed: <StateMark state="completed" />,
  failed: <CircleAlert {...icon} color="var(--dead)" />,
  released: <Undo2 {...icon} />,
  cancelled: <Ban {...icon} />,
  promoted: <StateMark state="pending" />,
  reaped: <Unplug {...icon} color="var(--retrying)" />,
  dead_lettered: <StateMark state="dead_letter" />,
  revived: <StateMark state="pending" />,
  reprioritized: <SlidersHorizontal {...icon} />,
  children_finished: <Layers {...icon} />,
  page_read: <StateMark state="completed" />,
  page_failed: <CircleAlert {...icon} color="var(--dead)" />,
};

function useTitle(step: Step, task: Task): string {
  const messages = useMessages(messagesOf);
  const { event, times, pages } = step;
  const [first] = pages;
  if (event.event === 'page_failed') return messages.pageFailed(formatCount(first?.page ?? 1), event.code ?? 'unknown_error');
  if (event.event === 'page_read') {
    if (pages.length === 1) return messages.pageRead(formatCount(first?.page ?? 1), formatCount(task.pages?.total ?? 1));
    const span = pageSpan(pages);
    return span === null
      ? messages.somePagesRead(formatCount(pages.length))
      : messages.pagesToRead(formatCount(span[0]), formatCount(span[1]));
  }
  const name = messages.events[event.event];
  switch (event.event) {
    case 'submitted':
      return task.user_id === undefined ? name : messages.submittedBy(task.user_id);
    case 'claimed':
      return event.worker_id === undefined ? name : messages.claimedBy(event.worker_id, String(event.fence ?? event.run ?? ''));
    case 'renewed':
      return times === 1 ? name : messages.renewedTimes(formatCount(times));
    case 'failed':
    case 'dead_lettered':
      return event.code === undefined ? name : messages.withCode(name, event.code);
    default:
      return name;
  }
}

/** What the server wrote is English in every language. */
interface Detail {
  readonly text: string;
  readonly english: boolean;
  /** Our own words behind the server's. */
  readonly follows?: string | undefined;
}

function useDetail(step: Step): Detail | null {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const { event, since, error } = step;
  const own = (text: string): Detail => ({ text, english: false });
  if (event.event === 'page_read') {
    const durations = step.pages.map(pageDuration).filter((duration) => duration !== null);
    const mean = durations.reduce((sum, duration) => sum + duration, 0) / Math.max(1, durations.length);
    if (durations.length === 0) return null;
    return own(step.pages.length === 1 ? formats.duration(mean) : messages.eachPage(formats.duration(mean)));
  }
  // A number alone is the script's own count, such as the crashes so far: it says nothing unless it is known what it counts.
  const count = event.detail !== undefined && /^-?\d+(\.\d+)?$/.test(event.detail) ? Number(event.detail) : null;
  if (event.event === 'claimed' && since !== null) return own(messages.waited(formats.duration(since)));
  if (event.event === 'fanned_out' && count !== null) return own(messages.intoPages(formatCount(count)));
  if (event.event === 'reprioritized' && count !== null) return own(String(count));
  if (event.event === 'reaped')
    return own(count === null || count === 0 ? messages.leaseRanOut : messages.leaseRanOutCrash(formatCount(count)));
  const told = count === null ? (event.detail ?? error?.message) : error?.message;
  // A run that failed tells how long the task waits before it is tried again; a task that will not be, nothing.
  const follows = event.event === 'failed' && count !== null ? messages.backOff(formats.duration(count)) : undefined;
  if (told !== undefined) return { text: told, english: true, follows };
  return follows === undefined ? null : own(follows);
}

function Stack({ stack }: { stack: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? messages.hideStack : messages.showStack}
      </button>
      {open && (
        <pre className="stack type-code" lang="en">
          {stack}
        </pre>
      )}
    </>
  );
}

const BAD: ReadonlySet<StepEvent['event']> = new Set(['failed', 'dead_lettered', 'page_failed']);

function StepRow({ step, task }: { step: Step; task: Task }): ReactNode {
  const title = useTitle(step, task);
  const detail = useDetail(step);
  const bad = BAD.has(step.event.event);
  return (
    <li className="step">
      <Tooltip text={formatUtc(step.at)}>
        <time className="step-time" dateTime={step.event.at}>
          {formatTimeExact(step.at)}
        </time>
      </Tooltip>
      <span className="step-mark">{ICONS[step.event.event]}</span>
      <div className="step-text">
        <p className={bad ? 'step-title step-title--bad' : 'step-title'}>
          <Rich text={title} />
        </p>
        {(detail !== null || step.error?.stack !== undefined) && (
          <p className="step-detail type-meta">
            {detail !== null && <span {...(detail.english ? { lang: 'en' } : {})}>{detail.text}</span>}{' '}
            {detail?.follows !== undefined && <span>{detail.follows}</span>}{' '}
            {step.error?.stack !== undefined && <Stack stack={step.error.stack} />}
          </p>
        )}
      </div>
    </li>
  );
}

function RunHead({ run }: { run: Run }): ReactNode {
  const messages = useMessages(messagesOf);
  const formats = useFormats();
  const parts = [
    run.run === null ? messages.open : messages.run(formatCount(run.run)),
    run.lasted === null ? '' : formats.duration(run.lasted),
    messages.endings[run.ending],
  ];
  return <h2 className="run-head type-meta">{parts.filter(Boolean).join(messages.comma)}</h2>;
}

/** Every step of the task, newest first, by runs. */
export function Timeline({ task, events, pages }: { task: Task; events: readonly TaskEvent[]; pages: readonly PageState[] }): ReactNode {
  const messages = useMessages(messagesOf);
  const runs = useMemo(() => runsOf(events, task, pages), [events, task, pages]);
  if (runs.length === 0) return <p className="task-none">{messages.noEvents}</p>;
  return (
    <div className="timeline">
      {runs.map((run) => (
        <section key={run.run ?? 0}>
          <RunHead run={run} />
          <ol>
            {run.steps.map((step) => (
              <StepRow key={step.id} step={step} task={task} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}
