import type { QueueSnapshot } from '@galley/contract';
import { createElement, type ReactNode } from 'react';
import { formatClock, formatTime, useMessages } from '../../../i18n/index.ts';
import { useStore } from '../../../store/index.ts';
import { details } from '../details.messages.ts';
import { Explained } from './Explained.tsx';
import type { Explain } from './Series.tsx';
import type { ChartData } from './series.model.ts';

export interface ChartProps {
  data: ChartData;
  snapshot: QueueSnapshot;
  /** Another range or queue lets the y axis begin anew. */
  scaleKey: string;
  emptyText: string | null;
}

export interface ChartWords {
  /** What stands under the right end of the x axis. */
  readonly last: string;
  /** A tooltip that says so where there is no data, and otherwise what the chart says. */
  readonly overGaps: (explain: Explain) => Explain;
}

/** What every chart says alike. */
export function useChartWords(data: ChartData): ChartWords {
  const messages = useMessages(details);
  const lost = useStore((state) => state.connection.freshness === 'lost');
  return {
    last: lost ? formatClock(data.to) : messages.now,
    overGaps:
      (explain) =>
      (at): ReactNode => {
        const gap = data.gaps.find(({ from, to }) => at > from && at < to);
        if (gap === undefined) return explain(at);
        return createElement(Explained, { time: messages.noData(formatTime(gap.from), formatTime(gap.to)), values: [] });
      },
  };
}
