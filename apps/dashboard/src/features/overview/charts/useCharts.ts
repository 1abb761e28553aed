import type { HistoryPoint, HistoryRange, QueueSnapshot } from '@galley/contract';
import { useMemo } from 'react';
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

/** One memoised set of data for all charts of the page; null before anything is known. */
export function useChartData({ points, snapshot, range, now }: ChartsFacts): ChartData | null {
  const lost = useStore((state) => state.connection.freshness === 'lost');
  const step = STEP_MS[range];
  const end = now === null ? null : Math.ceil(now / step) * step;
  // The snapshot of the moment at which the end moved: later ones of the same step would not move a pixel.
  return useMemo(
    () => (end === null ? null : chartDataOf({ points, snapshot, range, end, lost })),
    [points, range, end, lost, snapshot?.queue],
  );
}
