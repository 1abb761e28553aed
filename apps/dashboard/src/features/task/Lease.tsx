import type { Task, TaskEvent } from '@galley/contract';
import { type ReactNode, useMemo, useState } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { Link, systemPath } from '../../routing/index.ts';
import { useServerNow } from '../../store/index.ts';
import { Tooltip, useMedia } from '../../ui/index.ts';
import { task as messagesOf } from './messages.ts';
import { leaseLength } from './timeline.model.ts';

const FAST_MS = 100;
const CALM_MS = 1_000;
/** The bar's whole where no event has told how long a lease is. */
const USUAL_MS = 30_000;
/** The holder renews when a third of the lease has gone. */
const RENEWS_AT = 2 / 3;

/** The figure and its bar; by themselves, because they are drawn ten times a second. */
function Left({ expiresAt, length }: { expiresAt: string; length: number | null }): ReactNode {
  const messages = useMessages(messagesOf);
  const calm = useMedia('(prefers-reduced-motion: reduce)');
  const now = useServerNow(calm ? CALM_MS : FAST_MS);
  const left = now === null ? null : Math.max(0, Date.parse(expiresAt) - now);
  const share = left === null ? 0 : Math.min(1, left / (length ?? USUAL_MS));
  return (
    <>
      <p className="lease-left" role="timer" aria-live="off">
        <span className="type-figure-xl">{left === null ? '–' : (left / 1_000).toFixed(1)}</span>{' '}
        <span>{length === null ? messages.leftShort : messages.left(String(Math.round(length / 1_000)))}</span>
      </p>
      <div className={share < 1 / 3 ? 'lease-bar lease-bar--low' : 'lease-bar'} aria-hidden="true">
        <i style={{ transform: `scaleX(${share.toFixed(3)})` }} />
        <b />
      </div>
    </>
  );
}

/** What is left of a running task's lease, by the server's clock. */
export function Lease({ task, events, expiresAt }: { task: Task; events: readonly TaskEvent[]; expiresAt: string }): ReactNode {
  const messages = useMessages(messagesOf);
  const told = useMemo(() => leaseLength(events, expiresAt), [events, expiresAt]);
  // While the timeline lags behind a renewal the lease seems longer than it is, never shorter.
  const [length, setLength] = useState<number | null>(null);
  if (told !== null && (length === null || told < length)) setLength(told);
  return (
    <section className="lease" aria-label={messages.lease}>
      <div className="lease-head">
        <h2 className="type-section">{messages.lease}</h2>
        {task.worker_id !== undefined && (
          <p className="type-meta">
            {messages.heldBy}{' '}
            <Tooltip text={task.worker_id}>
              <Link to={systemPath('workers')} className="link lease-worker">
                {task.worker_id}
              </Link>
            </Tooltip>
          </p>
        )}
      </div>
      <Left expiresAt={expiresAt} length={length} />
      {length !== null && (
        <p className="lease-scale type-axis" aria-hidden="true">
          <span>{messages.backInLine}</span>
          <span className="lease-renews">{messages.renews(String(Math.round((length * RENEWS_AT) / 1_000)))}</span>
          <span>{messages.seconds(String(Math.round(length / 1_000)))}</span>
        </p>
      )}
    </section>
  );
}
