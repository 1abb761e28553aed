import type { QueueSnapshot } from '@galley/contract';
import { lazy, type ReactNode, Suspense } from 'react';
import { useMessages } from '../../i18n/index.ts';
import { patiently } from '../../loading/patiently.ts';
import { SectionHead, SortMark, Table } from '../../ui/index.ts';
import { details } from './details.messages.ts';
import { ShardHead, ShardRow } from './ShardRows.tsx';
import { SHARDS_DRAWN, shardsOf } from './shards.model.ts';

const ManyShards = lazy(patiently(() => import('./ManyShards.tsx')));

/** What stands in line and what is locked, shard by shard. */
export function Shards({ snapshot }: { snapshot: QueueSnapshot }): ReactNode {
  const messages = useMessages(details);
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
        <Suspense fallback={null}>
          <ManyShards models={models} label={messages.shards} />
        </Suspense>
      ) : (
        <Table label={messages.shards} className="shards">
          <ShardHead />
          <tbody>
            {models.map((model) => (
              <ShardRow key={model.row.shard} model={model} />
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
