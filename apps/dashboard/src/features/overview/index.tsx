import { type HistoryRange, type QueueSnapshot, TASK_STATES, type Worker } from '@galley/contract';
import type { ReactNode } from 'react';
import { useErrorWords } from '../../i18n/errors.ts';
import { common, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { WorkerTable } from '../../parts/WorkerTable.tsx';
import { workerMessages } from '../../parts/workerMessages.ts';
import { useServerNow, useStore } from '../../store/index.ts';
import { Alert, PageHead, Rich, SectionHead } from '../../ui/index.ts';
import { Alerts } from './Alerts.tsx';
import { DepthChart } from './charts/DepthChart.tsx';
import { QuantileChart } from './charts/QuantileChart.tsx';
import { ThroughputChart } from './charts/ThroughputChart.tsx';
import { useChartData } from './charts/useCharts.ts';
import { FirstRun } from './FirstRun.tsx';
import { HeadActions, usePause } from './HeadActions.tsx';
import { overview } from './messages.ts';
import './overview.css';
import { Shards } from './Shards.tsx';
import { stuckTasks } from './shards.model.ts';
import { Tiles } from './Tiles.tsx';
import { stateTiles, tilesOf } from './tiles.model.ts';
import { useDeadLastHour, useHistory, useQueueWorkers, useRange } from './useOverview.ts';

function useSub(snapshot: QueueSnapshot | null): ReactNode {
  const messages = useMessages(overview);
  const queue = useStore((state) => state.queue);
  const facts = [messages.sub(snapshot?.queue ?? queue)];
  if (snapshot !== null) {
    facts.push(messages.order[snapshot.order], messages.shardCount(formatCount(snapshot.shards.length)));
    facts.push(snapshot.lock_keys ? messages.lockKeys.on : messages.lockKeys.off);
  }
  return <Rich text={facts.join(' · ')} />;
}

/** Nothing has ever been submitted: no task in any state, and no minute in which one came. */
function isFirstRun(snapshot: QueueSnapshot, submitted: number): boolean {
  return submitted === 0 && TASK_STATES.every((state) => snapshot.counts[state] === 0);
}

function Charts({
  snapshot,
  points,
  range,
}: {
  snapshot: QueueSnapshot;
  points: Parameters<typeof useChartData>[0]['points'];
  range: HistoryRange;
}): ReactNode {
  const messages = useMessages(overview);
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
  const messages = useMessages(overview);
  const { title } = useMessages(workerMessages);
  const { count, busy, slots } = snapshot.workers;
  return (
    <section>
      <SectionHead title={title} id="workers" meta={messages.workersMeta(formatCount(count), formatCount(busy), formatCount(slots))} />
      {workers !== undefined && <WorkerTable workers={workers} stuck={stuckTasks(snapshot)} />}
    </section>
  );
}

interface OverviewProps {
  snapshot: QueueSnapshot;
  range: HistoryRange;
  history: ReturnType<typeof useHistory>;
  first: boolean;
  onResume: () => void;
}

function Overview({ snapshot, range, history, first, onResume }: OverviewProps): ReactNode {
  const messages = useMessages(overview);
  const { state: stateWords } = useMessages(common);
  const formats = useFormats();
  const workers = useQueueWorkers(snapshot.queue);
  const deadLastHour = useDeadLastHour(snapshot.queue);
  const now = useServerNow();
  const words = useErrorWords();
  const facts = { snapshot, history: history.points, deadLastHour, now, words: messages.tile, stateWords, formats };
  const alerts = <Alerts snapshot={snapshot} workers={workers ?? []} onResume={onResume} />;
  if (first) {
    return (
      <>
        {alerts}
        <div className="overview-first">
          <Tiles tiles={stateTiles(facts)} />
        </div>
        <FirstRun snapshot={snapshot} workers={workers} />
      </>
    );
  }
  return (
    <>
      {alerts}
      <Tiles tiles={tilesOf(facts)} />
      {history.error !== undefined && !history.known && (
        <Alert kind="error" what={messages.historyFailed} why={words(history.error.code).remedy} />
      )}
      <div className="overview-columns">
        <Charts snapshot={snapshot} points={history.points} range={range} />
      </div>
      <Workers snapshot={snapshot} workers={workers} />
    </>
  );
}

/** The live overview of one queue. Its head stays while the queue's state is awaited, so that the focus can stay on its title. */
export default function OverviewPage(): ReactNode {
  const { page } = useMessages(common);
  const snapshot = useStore((state) => state.live.snapshot);
  const queue = useStore((state) => state.queue);
  const sub = useSub(snapshot);
  const [range, chooseRange] = useRange();
  const history = useHistory(queue, range);
  const pause = usePause(snapshot);
  const submitted = history.points.reduce((sum, point) => sum + point.submitted, 0);
  const first = snapshot !== null && history.known && isFirstRun(snapshot, submitted);
  return (
    <>
      <PageHead
        title={page.overview}
        sub={sub}
        actions={
          snapshot !== null && !first ? (
            <HeadActions snapshot={snapshot} range={range} onRange={chooseRange} busy={pause.busy} onPause={pause.toggle} />
          ) : undefined
        }
      />
      {snapshot !== null && <Overview snapshot={snapshot} range={range} history={history} first={first} onResume={pause.toggle} />}
    </>
  );
}
