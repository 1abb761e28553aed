import { PRIORITY_BANDS, type PriorityBand, type QueueSnapshot } from '@galley/contract';
import { type ReactNode, Suspense } from 'react';
import { common, formatClock, formatCompact, formatCount, formatTime, useMessages } from '../../../i18n/index.ts';
import { PHONE, useMedia } from '../../../ui/index.ts';
import { details } from '../details.messages.ts';
import { Axes } from './Axes.tsx';
import { BAND_COLOURS } from './bands.ts';
import { ChartFigure } from './ChartFigure.tsx';
import { type EndLabel, EndLabels } from './EndLabels.tsx';
import { Explained } from './Explained.tsx';
import { Gaps } from './Gaps.tsx';
import { HEIGHT, type Plot, plotOf, RIGHT, RIGHT_ON_PHONE, yOf } from './geometry.ts';
import { DepthSeries } from './lazySeries.ts';
import { countScale } from './scale.model.ts';
import type { ChartData, Row } from './series.model.ts';
import { type ChartProps, useChartWords } from './useChartWords.ts';
import { useHeldScale } from './useHeldScale.ts';
import { useStable } from './useStable.ts';

/** Bands from the most urgent down, which is from the top of the stack. */
function labelsOf(
  bands: QueueSnapshot['pending_by_band'],
  top: number,
  plot: Plot,
  names: Readonly<Record<PriorityBand, string>>,
): readonly EndLabel[] {
  let under = PRIORITY_BANDS.reduce((sum, band) => sum + bands[band], 0);
  return PRIORITY_BANDS.map((band) => {
    const middle = under - bands[band] / 2;
    under -= bands[band];
    return {
      id: band,
      name: names[band],
      value: formatCount(bands[band]),
      colour: BAND_COLOURS[band],
      swatch: 'square' as const,
      y: yOf(middle, top, plot.top, plot.bottom),
    };
  });
}

function useTexts(data: ChartData) {
  const { priority } = useMessages(common);
  const messages = useMessages(details);
  const rowAt = (at: number): Row | undefined => data.rows.find((row) => row.at === at);
  return {
    messages,
    priority,
    explain: (at: number): ReactNode => {
      const row = rowAt(at);
      return (
        <Explained
          time={formatTime(at)}
          values={PRIORITY_BANDS.map((band) => ({ name: priority[band], value: formatCount(row?.bands[band] ?? 0) }))}
        />
      );
    },
    table: {
      heads: [messages.time, ...PRIORITY_BANDS.map((band) => priority[band])],
      rows: () =>
        data.rows
          .toReversed()
          .map((row) => ({ id: row.at, cells: [formatClock(row.at), ...PRIORITY_BANDS.map((band) => formatCount(row.bands[band]))] })),
    },
  };
}

/** Pending tasks by priority over the range. */
export function DepthChart({ data, snapshot, scaleKey, emptyText }: ChartProps): ReactNode {
  const phone = useMedia(PHONE);
  const { messages, priority, explain, table } = useTexts(data);
  const words = useChartWords(data);
  const stable = useStable(words.overGaps(explain));
  const most = data.rows.reduce((highest, row) => Math.max(highest, row.total), 0);
  const scale = useHeldScale(scaleKey, most, data.to, countScale);
  const facts = PRIORITY_BANDS.map((band) => `${priority[band]} ${formatCount(snapshot.pending_by_band[band])}`).join(messages.comma);
  return (
    <ChartFigure
      title={messages.depth}
      meta={messages.depthMeta}
      height={HEIGHT}
      caption={messages.depthSays(facts)}
      table={table}
      empty={emptyText}
    >
      {(width) => {
        const plot = plotOf(width, HEIGHT, phone ? RIGHT_ON_PHONE : RIGHT);
        const { from, to } = data;
        return (
          <>
            <Axes
              plot={plot}
              axes={[{ scale, format: formatCompact, upper: plot.top, lower: plot.bottom }]}
              from={from}
              to={to}
              ticks={plot.right - plot.left >= 320 ? 5 : 3}
              last={words.last}
            />
            <Suspense fallback={null}>
              <DepthSeries plot={plot} rows={data.rows} from={from} to={to} top={scale.top} explain={stable} label={messages.depth} />
            </Suspense>
            <Gaps gaps={data.gaps} from={from} to={to} plot={plot} />
            <EndLabels labels={labelsOf(snapshot.pending_by_band, scale.top, plot, priority)} plot={plot} />
          </>
        );
      }}
    </ChartFigure>
  );
}
