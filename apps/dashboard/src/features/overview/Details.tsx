import type { HistoryRange, QueueSnapshot, Worker } from '@galley/contract';
import type { ReactNode } from 'react';
import { useErrorWords } from '../../i18n/errors.ts';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { WorkerTable } from '../../parts/WorkerTable.tsx';
import { workerMessages } from '../../parts/workerMessages.ts';
import { useServerNow } from '../../store/index.ts';
import { Alert, SectionHead } from '../../ui/index.ts';
import { DepthChart } from './charts/DepthChart.tsx';
import { QuantileChart } from './charts/QuantileChart.tsx';
import { ThroughputChart } from './charts/ThroughputChart.tsx';
import { useChartData } from './charts/useCharts.ts';
import { details } from './details.messages.ts';
import { Shards } from './Shards.tsx';
import { stuckTasks } from './shards.model.ts';
import type { KnownHistory } from './useOverview.ts';

function Charts({
  snapshot,
  points,
  range,
}: {
  snapshot: QueueSnapshot;
  points: Parameters<typeof useChartData>[0]['points'];
  range: HistoryRange;
}): ReactNode {
  const messages = useMessages(details);
  const now = useServerNow(5_000);
  const data = useChartData({ points, snapshot, range, now });
  if (data === null) return null;
  const shared = { data, snapshot, scaleKey: `${snapshot.queue} ${range}`, emptyText: data.empty ? messages.empty[range] : null };
  return (
    <>
      <DepthChart {...shared} />
      <ThroughputChart {...shared} />
      <Shards snapshot={snapshot} />
      <div className="overview-quantiles">
        <QuantileChart of="wait" {...shared} />
        <QuantileChart of="run" {...shared} />
      </div>
    </>
  );
}

function Workers({ snapshot, workers }: { snapshot: QueueSnapshot; workers: readonly Worker[] | undefined }): ReactNode {
  const messages = useMessages(details);
  const { title } = useMessages(workerMessages);
  const { count, busy, slots } = snapshot.workers;
  return (
    <section>
      <SectionHead title={title} id="workers" meta={messages.workersMeta(formatCount(count), formatCount(busy), formatCount(slots))} />
      {workers !== undefined && <WorkerTable workers={workers} stuck={stuckTasks(snapshot)} />}
    </section>
  );
}

function HistoryFailed({ code }: { code: string }): ReactNode {
  const messages = useMessages(details);
  const words = useErrorWords();
  return <Alert kind="error" what={messages.historyFailed} why={words(code).remedy} />;
}

/** What stands under the tiles: charts, shards and workers. */
export default function Details({
  snapshot,
  range,
  history,
  workers,
}: {
  snapshot: QueueSnapshot;
  range: HistoryRange;
  history: KnownHistory;
  workers: readonly Worker[] | undefined;
}): ReactNode {
  return (
    <>
      {history.error !== undefined && !history.known && <HistoryFailed code={history.error.code} />}
      <div className="overview-columns">
        <Charts snapshot={snapshot} points={history.points} range={range} />
      </div>
      <Workers snapshot={snapshot} workers={workers} />
    </>
  );
}
