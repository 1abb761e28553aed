import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { Table } from '../../ui/index.ts';
import { ShardHead, ShardRow } from './ShardRows.tsx';
import type { ShardModel } from './shards.model.ts';

const ROW = 38;

/** Many shards: the rows in view alone, warnings first. */
export default function ManyShards({ models, label }: { models: readonly ShardModel[]; label: string }): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: models.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 8 });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section ref={scroller} className="shards-many" tabIndex={0} aria-label={label}>
      <Table label={label} className="shards" aria-rowcount={models.length + 1}>
        <ShardHead />
        <tbody>
          <tr style={{ height: before }} aria-hidden="true" />
          {items.map((item) => {
            const model = models[item.index];
            return model === undefined ? null : <ShardRow key={model.row.shard} model={model} />;
          })}
          <tr style={{ height: after }} aria-hidden="true" />
        </tbody>
      </Table>
    </section>
  );
}
