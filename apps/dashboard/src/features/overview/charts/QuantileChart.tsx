import { type ReactNode, Suspense } from 'react';
import { formatClock, formatTime, UNKNOWN, useFormats, useMessages } from '../../../i18n/index.ts';
import { details } from '../details.messages.ts';
import { Axes } from './Axes.tsx';
import { ChartFigure } from './ChartFigure.tsx';
import { type EndLabel, EndLabels } from './EndLabels.tsx';
import { Explained } from './Explained.tsx';
import { Gaps } from './Gaps.tsx';
import { HEIGHT_OF_QUANTILES, type Plot, plotOf, RIGHT, yOf } from './geometry.ts';
import { QuantileSeries } from './lazySeries.ts';
import { timeScale } from './scale.model.ts';
import type { Row } from './series.model.ts';
import { type ChartProps, useChartWords } from './useChartWords.ts';
import { useHeldScale } from './useHeldScale.ts';
import { useStable } from './useStable.ts';

interface Quantiles {
  readonly p50: number | null;
  readonly p95: number | null;
}

function labelsOf(now: Quantiles, top: number, plot: Plot, say: (value: number | null) => string): readonly EndLabel[] {
  return [
    {
      id: 'p95',
      name: 'p95',
      value: say(now.p95),
      colour: 'var(--ink-2)',
      swatch: 'dashed',
      y: yOf(now.p95 ?? 0, top, plot.top, plot.bottom),
    },
    {
      id: 'p50',
      name: 'p50',
      value: say(now.p50),
      colour: 'var(--ink-1)',
      swatch: 'line',
      y: yOf(now.p50 ?? 0, top, plot.top, plot.bottom),
    },
  ];
}

/** Wait or run time: the middle, and what 95 of 100 stay under. */
export function QuantileChart({ of, data, snapshot, scaleKey, emptyText }: ChartProps & { of: 'wait' | 'run' }): ReactNode {
  const messages = useMessages(details);
  const formats = useFormats();
  const words = useChartWords(data);
  const now = of === 'wait' ? snapshot.wait_ms : snapshot.run_ms;
  const most = data.rows.reduce((highest, row) => Math.max(highest, row[of].p95 ?? 0, row[of].p50 ?? 0), 0);
  const scale = useHeldScale(scaleKey, Math.max(most, 2_000), data.to, timeScale);
  const say = (value: number | null): string => (value === null ? UNKNOWN : formats.duration(value));
  const valuesOf = (row: Row | undefined) => [
    { name: 'p95', value: say(row?.[of].p95 ?? null) },
    { name: 'p50', value: say(row?.[of].p50 ?? null) },
  ];
  const explain = (at: number): ReactNode => <Explained time={formatTime(at)} values={valuesOf(data.rows.find((row) => row.at === at))} />;
  const stable = useStable(words.overGaps(explain));
  const facts = [`p50 ${say(now.p50)}`, `p95 ${say(now.p95)}`].join(messages.comma);
  const caption = of === 'wait' ? messages.waitSays(facts) : messages.runSays(facts);
  const table = {
    heads: [messages.time, 'p50', 'p95'],
    rows: () => data.rows.toReversed().map((row) => ({ id: row.at, cells: [formatClock(row.at), say(row[of].p50), say(row[of].p95)] })),
  };
  return (
    <ChartFigure title={messages[of]} sub={of === 'run'} height={HEIGHT_OF_QUANTILES} caption={caption} table={table} empty={emptyText}>
      {(width) => {
        const plot = plotOf(width, HEIGHT_OF_QUANTILES, RIGHT);
        const { from, to } = data;
        return (
          <>
            <Axes
              plot={plot}
              axes={[{ scale, format: formats.durationAxis, upper: plot.top, lower: plot.bottom }]}
              from={from}
              to={to}
              ticks={plot.right - plot.left >= 220 ? 3 : 2}
              last={words.last}
            />
            <Suspense fallback={null}>
              <QuantileSeries
                plot={plot}
                rows={data.rows}
                of={of}
                from={from}
                to={to}
                top={scale.top}
                explain={stable}
                label={messages[of]}
              />
            </Suspense>
            <Gaps gaps={data.gaps} from={from} to={to} plot={plot} />
            <EndLabels labels={labelsOf(now, scale.top, plot, say)} plot={plot} />
          </>
        );
      }}
    </ChartFigure>
  );
}
