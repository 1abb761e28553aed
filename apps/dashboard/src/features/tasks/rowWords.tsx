import { isFinal, type Task } from '@galley/contract';
import { createContext, type ReactNode, useContext } from 'react';
import { type Formats, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { useServerNow } from '../../store/index.ts';
import { shownName } from '../../ui/index.ts';
import { tasks } from './messages.ts';

const MINUTE = 60_000;

/** What a list calls a task: its file, else its id. */
export function nameOf(task: Task): string {
  return shownName(task.filename ?? task.task_id);
}

/** How long the task has been in its state, or when it leaves it. `now`: the server's time, ms; null where it is not known. */
function inState(task: Task, now: number | null, formats: Formats, words: { due: string; at: (time: string) => string }): string {
  if (now === null) return '–';
  if (task.status === 'scheduled' || task.status === 'retrying') {
    if (task.due_at === undefined) return '–';
    const due = Date.parse(task.due_at);
    // Long waits are told by the clock, short ones by how long they last.
    if (due <= now) return words.due;
    return task.status === 'scheduled' && due - now > 90_000 ? words.at(formats.moment(due, now)) : formats.relative(due, now);
  }
  const since = isFinal(task.status) ? task.finished_at : task.status === 'pending' ? task.created_at : task.started_at;
  if (since === undefined) return '–';
  const span = Math.max(0, now - Date.parse(since));
  return isFinal(task.status)
    ? formats.relative(Date.parse(since), now)
    : span >= MINUTE && span < 10 * MINUTE
      ? formats.durationColumn(span)
      : formats.age(span);
}

const NowContext = createContext<number | null>(null);

/** One clock for every row: a timer in each would draw the list anew many times a second. */
export function ListClock({ children }: { children: ReactNode }): ReactNode {
  return <NowContext value={useServerNow()}>{children}</NowContext>;
}

/** How long a task has been in its state, in words; drawn by a component of its own, so that a second draws only that. */
export function InState({ task }: { task: Task }): ReactNode {
  const messages = useMessages(tasks);
  const formats = useFormats();
  return inState(task, useContext(NowContext), formats, messages);
}

export interface RowWords {
  /** `31 / 48`; null where nothing is known of its pages. */
  readonly pages: string | null;
  /** Share of its pages that are read, while some are on their way. */
  readonly share: number | null;
}

export function useRowWords(task: Task): RowWords {
  const messages = useMessages(tasks);
  const { pages, status } = task;
  const running = status === 'processing' || status === 'waiting';
  const begun = running || isFinal(status) || status === 'retrying';
  return {
    pages: pages === undefined ? null : messages.pagesDone(begun ? formatCount(pages.done) : '–', formatCount(pages.total)),
    share: running && pages !== undefined && pages.total > 0 ? (pages.done + pages.failed) / pages.total : running ? task.progress : null,
  };
}
