import { type HistoryRange, type QueueSnapshot, TASK_STATES } from '@galley/contract';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { common, formatCount, useFormats, useMessages } from '../../i18n/index.ts';
import { patiently } from '../../loading/patiently.ts';
import { useServerNow, useStore } from '../../store/index.ts';
import { PageHead, Rich } from '../../ui/index.ts';
import { Alerts } from './Alerts.tsx';
import { HeadActions, usePause } from './HeadActions.tsx';
import { overview } from './messages.ts';
import './overview.css';
import { Tiles } from './Tiles.tsx';
import { stateTiles, tilesOf } from './tiles.model.ts';
import { type KnownHistory, useDeadLastHour, useHistory, useQueueWorkers, useRange } from './useOverview.ts';

const loadDetails = () => import('./Details.tsx');
/** It stands under the tiles, and comes beside the first figures: the page is drawn without waiting for either. */
const Details = lazy(patiently(loadDetails));
/** Seen once in a Galley's life. */
const FirstRun = lazy(patiently(async () => ({ default: (await import('./FirstRun.tsx')).FirstRun })));

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

interface OverviewProps {
  snapshot: QueueSnapshot;
  range: HistoryRange;
  history: KnownHistory;
  first: boolean;
  onResume: () => void;
}

function Overview({ snapshot, range, history, first, onResume }: OverviewProps): ReactNode {
  const { tile: words } = useMessages(overview);
  const { state: stateWords } = useMessages(common);
  const formats = useFormats();
  const workers = useQueueWorkers(snapshot.queue);
  const deadLastHour = useDeadLastHour(snapshot.queue);
  const now = useServerNow();
  const facts = { snapshot, history: history.points, deadLastHour, now, words, stateWords, formats };
  const alerts = <Alerts snapshot={snapshot} workers={workers ?? []} onResume={onResume} />;
  if (first) {
    return (
      <>
        {alerts}
        <div className="overview-first">
          <Tiles tiles={stateTiles(facts)} />
        </div>
        <Suspense fallback={null}>
          <FirstRun snapshot={snapshot} workers={workers} />
        </Suspense>
      </>
    );
  }
  return (
    <>
      {alerts}
      <Tiles tiles={tilesOf(facts)} />
      <Suspense fallback={null}>
        <Details snapshot={snapshot} range={range} history={history} workers={workers} />
      </Suspense>
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
  // What cannot be had now is fetched when it is drawn, and says so then.
  useEffect(() => void loadDetails().catch(() => undefined), []);
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
