import type { QueueSnapshot } from '@galley/contract';
import { useVirtualizer } from '@tanstack/react-virtual';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { formatCount, UNKNOWN, useFormats, useMessages } from '../../i18n/index.ts';
import { Link, taskPath } from '../../routing/index.ts';
import { cx, HeadCell, Locks, SectionHead, SortMark, Table } from '../../ui/index.ts';
import { overview } from './messages.ts';
import { SHARDS_DRAWN, type ShardModel, shardsOf } from './shards.model.ts';
import './shards.css';

const ROW = 38;

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

function Row({ model }: { model: ShardModel }): ReactNode {
  const messages = useMessages(overview);
  const formats = useFormats();
  const { row } = model;
  const locks = formatCount(row.locks);
  return (
    <tr className={cx(model.stuck && 'shard-row--stuck')}>
      <th scope="row" className="type-code">
        {row.shard}
      </th>
      <td className={cx('is-number', row.pending === 0 && 'is-zero')}>{formatCount(row.pending)}</td>
      <td aria-hidden="true">
        <i className="shard-bar" style={{ transform: `scaleX(${model.share})` }} />
      </td>
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

function Head(): ReactNode {
  const messages = useMessages(overview);
  return (
    <thead>
      <tr>
        <HeadCell>{messages.shard}</HeadCell>
        <HeadCell number className="shard-pending-head">
          {messages.pendingHead}
        </HeadCell>
        <td />
        <HeadCell>{messages.locksHead}</HeadCell>
        <HeadCell number className="shard-oldest">
          {messages.oldestPending}
        </HeadCell>
        <HeadCell number>{messages.oldestLock}</HeadCell>
      </tr>
    </thead>
  );
}

/** Many shards: the rows in view alone, warnings first. */
function ManyShards({ models, label }: { models: readonly ShardModel[]; label: string }): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: models.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 8 });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section ref={scroller} className="shards-many" tabIndex={0} aria-label={label}>
      <Table label={label} className="shards" aria-rowcount={models.length + 1}>
        <Head />
        <tbody>
          <tr style={{ height: before }} aria-hidden="true" />
          {items.map((item) => {
            const model = models[item.index];
            return model === undefined ? null : <Row key={model.row.shard} model={model} />;
          })}
          <tr style={{ height: after }} aria-hidden="true" />
        </tbody>
      </Table>
    </section>
  );
}

/** What stands in line and what is locked, shard by shard. */
export function Shards({ snapshot }: { snapshot: QueueSnapshot }): ReactNode {
  const messages = useMessages(overview);
  const models = shardsOf(snapshot);
  return (
    <section>
      <SectionHead
        title={messages.shards}
        meta={messages.shardsMeta}
        aside={
          <>
            <span className="shard-key">
              <SortMark kind="busy" /> {messages.lock}
            </span>
            <span className="shard-key">
              <SortMark kind="stuck" /> {messages.stuck}
            </span>
          </>
        }
      />
      {models.length > SHARDS_DRAWN ? (
        <ManyShards models={models} label={messages.shards} />
      ) : (
        <Table label={messages.shards} className="shards">
          <Head />
          <tbody>
            {models.map((model) => (
              <Row key={model.row.shard} model={model} />
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
