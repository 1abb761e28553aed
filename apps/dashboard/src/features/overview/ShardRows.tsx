import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount, UNKNOWN, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, taskPath } from '../../routing/index.ts';
import { Cell, cx, HeadCell, Locks } from '../../ui/index.ts';
import { details } from './details.messages.ts';
import type { ShardModel } from './shards.model.ts';
import './shards.css';

function OldestLock({ model }: { model: ShardModel }): ReactNode {
  const formats = useFormats();
  const lock = model.row.oldest_lock;
  if (lock === undefined) return <span className="is-zero">{UNKNOWN}</span>;
  if (!model.stuck) return formats.durationColumn(lock.ms);
  return (
    <Link className="shard-stuck" to={taskPath(lock.task_id)}>
      <TriangleAlert size={14} strokeWidth={1.75} aria-hidden="true" />
      {formats.whole(lock.ms)}
    </Link>
  );
}

export function ShardRow({ model }: { model: ShardModel }): ReactNode {
  const messages = useMessages(details);
  const formats = useFormats();
  const { row } = model;
  const locks = formatCount(row.locks);
  return (
    <tr className={cx(model.stuck && 'shard-row--stuck')}>
      <th scope="row" className="type-code">
        {row.shard}
      </th>
      <Cell>
        <span className="shard-pending">
          <span className={cx('shard-count', row.pending === 0 && 'is-zero')}>{formatCount(row.pending)}</span>
          <i className="shard-bar" style={{ transform: `scaleX(${model.share})` }} aria-hidden="true" />
        </span>
      </Cell>
      <td>
        <Locks
          locks={row.locks}
          stuck={model.stuck ? 1 : 0}
          differs={model.differs}
          text={model.differs ? messages.locksOf(locks, formatCount(row.processing)) : locks}
        />
      </td>
      <td className={cx('is-number', 'shard-oldest', row.oldest_pending_ms === null && 'is-zero')}>
        {row.oldest_pending_ms === null ? UNKNOWN : formats.durationColumn(row.oldest_pending_ms)}
      </td>
      <td className="is-number shard-lock">
        <OldestLock model={model} />
      </td>
    </tr>
  );
}

export function ShardHead(): ReactNode {
  const messages = useMessages(details);
  return (
    <thead>
      <tr>
        <HeadCell>{messages.shard}</HeadCell>
        <HeadCell>
          <span className="shard-pending">
            <span className="shard-count">{messages.pendingHead}</span>
          </span>
        </HeadCell>
        <HeadCell>{messages.locksHead}</HeadCell>
        <HeadCell number className="shard-oldest">
          {messages.oldestPending}
        </HeadCell>
        <HeadCell number>{messages.oldestLock}</HeadCell>
      </tr>
    </thead>
  );
}
