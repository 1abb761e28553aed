import { LIVE_STATES } from '@galley/contract';
import type { ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { formatCompact, useMessages } from '../i18n/index.ts';
import { onQueue } from '../routing/index.ts';
import { DEFAULT_QUEUE, useStore } from '../store/index.ts';
import { cx } from '../ui/index.ts';
import { frame } from './messages.ts';

export interface ListedQueue {
  readonly queue: string;
  /** Null until it is known. */
  readonly live: number | null;
  readonly shown: boolean;
}

/** The queues there are, with their live tasks; the shown one by its newest snapshot. */
export function useListedQueues(): readonly ListedQueue[] {
  const queues = useStore((state) => state.queues);
  const shown = useStore((state) => state.queue);
  const counts = useStore((state) => state.live.snapshot?.counts);
  const live = counts === undefined ? null : LIVE_STATES.reduce((sum, state) => sum + counts[state], 0);
  const listed = queues.map(({ queue, live: told }) => ({ queue, live: queue === shown ? (live ?? told) : told, shown: queue === shown }));
  return listed.some((one) => one.shown) ? listed : [{ queue: shown, live, shown: true }, ...listed];
}

/** Switches the queue of every page by the address. */
export function useShowQueue(): (queue: string) => void {
  const [location, navigate] = useLocation();
  const [search] = useSearchParams();
  return (queue) => {
    const kept = new URLSearchParams(search);
    kept.delete('queue');
    // Where a list stood in another queue says nothing about this one.
    kept.delete('cursor');
    const text = kept.toString();
    navigate(onQueue(text === '' ? location : `${location}?${text}`, queue, DEFAULT_QUEUE));
  };
}

export function QueueList(): ReactNode {
  const messages = useMessages(frame);
  const queues = useListedQueues();
  const show = useShowQueue();
  return (
    <nav className="queue-list" aria-label={messages.queues}>
      <h2 className="type-meta">{messages.queues}</h2>
      {queues.map(({ queue, live, shown }) => (
        <button
          key={queue}
          type="button"
          className={cx('queue-item', shown && 'queue-item--shown')}
          aria-pressed={shown}
          onClick={() => show(queue)}
        >
          <i className="queue-sort" aria-hidden="true" />
          <span className="queue-name">{queue}</span>
          <span className="queue-count">{live === null ? '–' : formatCompact(live)}</span>
        </button>
      ))}
    </nav>
  );
}
