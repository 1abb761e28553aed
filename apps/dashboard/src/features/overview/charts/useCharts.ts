import type { HistoryPoint, HistoryRange, QueueSnapshot } from '@galley/contract';
import { useMemo, useRef } from 'react';
import { useStore } from '../../../store/index.ts';
import { type ChartData, chartDataOf } from './series.model.ts';

/** The right end of the axis moves in steps, so that a chart is drawn anew when it would differ and not every second. */
const STEP_MS = { '15m': 5_000, '1h': 10_000, '6h': 60_000, '24h': 60_000 } as const satisfies Record<HistoryRange, number>;

export interface ChartsFacts {
  readonly points: readonly HistoryPoint[];
  readonly snapshot: QueueSnapshot | null;
  readonly range: HistoryRange;
  readonly now: number | null;
}

/** The snapshot of the moment at which the end moved: later ones of the same step would not move a pixel. */
function useSnapshotOf(end: number | null, snapshot: QueueSnapshot | null): QueueSnapshot | null {
  const held = useRef({ end, snapshot });
  if (held.current.end !== end || held.current.snapshot?.queue !== snapshot?.queue) held.current = { end, snapshot };
  return held.current.snapshot;
}

/** One memoised set of data for all charts of the page; null before anything is known. */
export function useChartData({ points, snapshot, range, now }: ChartsFacts): ChartData | null {
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const step = STEP_MS[range];
  const end = now === null ? null : Math.ceil(now / step) * step;
  const held = useSnapshotOf(end, snapshot);
  return useMemo(() => (end === null ? null : chartDataOf({ points, snapshot: held, range, end, lost })), [points, held, range, end, lost]);
}
