import type { QueueSnapshot } from '@galley/contract';
import { type ReactNode, Suspense } from 'react';
import { formatClock, formatCompact, formatCount, formatTime, useMessages } from '../../../i18n/index.ts';
import { type DetailMessages, details } from '../details.messages.ts';
import { Axes } from './Axes.tsx';
import { ChartFigure } from './ChartFigure.tsx';
import { type EndLabel, EndLabels } from './EndLabels.tsx';
import { Explained } from './Explained.tsx';
import { Gaps } from './Gaps.tsx';
import { HEIGHT, type Plot, plotOf, RIGHT, STRIP, STRIP_GAP, yOf } from './geometry.ts';
import { ThroughputSeries } from './lazySeries.ts';
import { countScale, type Scale } from './scale.model.ts';
import type { ChartData, Column } from './series.model.ts';
import { type ChartProps, useChartWords } from './useChartWords.ts';
import { useHeldScale } from './useHeldScale.ts';
import { useStable } from './useStable.ts';

const FAILED_TOP = 10;

/** The strip's own scale: 0 and a top of at least 10. */
function failedScale(most: number): Scale {
  const top = most <= FAILED_TOP ? FAILED_TOP : countScale(most).top;
  return { top, ticks: [0, top] };
}

interface Parts {
  readonly plot: Plot;
  /** px of the baseline of the columns. */
  readonly baseline: number;
  readonly stripTop: number;
}

function partsOf(width: number): Parts {
  const plot = plotOf(width, HEIGHT, RIGHT);
  return { plot, baseline: plot.bottom - STRIP - STRIP_GAP, stripTop: plot.bottom - STRIP };
}

function labelsOf(
  rates: QueueSnapshot['rates'],
  top: number,
  { plot, baseline, stripTop }: Parts,
  messages: DetailMessages,
): readonly EndLabel[] {
  const { submitted_per_minute: submitted, completed_per_minute: done, failed_per_minute: failed } = rates;
  return [
    {
      id: 'submitted',
      name: messages.submitted,
      value: formatCount(submitted),
      colour: 'var(--ink-1)',
      swatch: 'line',
      y: yOf(submitted, top, plot.top, baseline),
    },
    {
      id: 'done',
      name: messages.done,
      value: formatCount(done),
      colour: 'var(--rule-ctl)',
      swatch: 'square',
      y: yOf(done / 2, top, plot.top, baseline),
    },
    {
      id: 'failed',
      name: messages.failed,
      value: formatCount(failed),
      colour: 'var(--dead)',
      swatch: 'square',
      y: (stripTop + plot.bottom) / 2,
    },
  ];
}

function valuesOf(column: Column | undefined, messages: DetailMessages): { name: string; value: string }[] {
  return [
    { name: messages.submitted, value: formatCount(column?.submitted ?? 0) },
    { name: messages.done, value: formatCount(column?.done ?? 0) },
    { name: messages.failed, value: formatCount(column?.failed ?? 0) },
  ];
}

function tableOf(data: ChartData, messages: DetailMessages) {
  return {
    heads: [messages.time, messages.submitted, messages.done, messages.failed],
    rows: () =>
      data.columns
        .toReversed()
        .map((column) => ({ id: column.at, cells: [formatClock(column.from), ...valuesOf(column, messages).map(({ value }) => value)] })),
  };
}

/** Tasks submitted, done and failed per minute. */
export function ThroughputChart({ data, snapshot, scaleKey, emptyText }: ChartProps): ReactNode {
  const messages = useMessages(details);
  const words = useChartWords(data);
  const most = data.columns.reduce((highest, column) => Math.max(highest, column.done, column.submitted), 0);
  const scale = useHeldScale(scaleKey, Math.max(most, snapshot.rates.submitted_per_minute), data.to, countScale);
  const mostFailed = data.columns.reduce((highest, column) => Math.max(highest, column.failed), 0);
  const failed = useHeldScale(scaleKey, mostFailed, data.to, failedScale);
  const explain = (at: number): ReactNode => {
    const column = data.columns.find((one) => one.at === at);
    return <Explained time={formatTime(column?.from ?? at)} values={valuesOf(column, messages)} />;
  };
  const stable = useStable(words.overGaps(explain));
  const facts = valuesOf(
    {
      at: 0,
      from: 0,
      submitted: snapshot.rates.submitted_per_minute,
      done: snapshot.rates.completed_per_minute,
      failed: snapshot.rates.failed_per_minute,
    },
    messages,
  );
  const caption = messages.throughputSays(facts.map(({ name, value }) => `${name} ${value}`).join(messages.comma));
  return (
    <ChartFigure
      title={messages.throughput}
      meta={messages.throughputMeta}
      height={HEIGHT}
      caption={caption}
      table={tableOf(data, messages)}
      empty={emptyText}
    >
      {(width) => {
        const parts = partsOf(width);
        const { plot } = parts;
        const { from, to } = data;
        return (
          <>
            <Axes
              plot={plot}
              axes={[
                { scale, format: formatCompact, upper: plot.top, lower: parts.baseline },
                { scale: failed, format: formatCompact, upper: parts.stripTop, lower: plot.bottom },
              ]}
              from={from}
              to={to}
              ticks={plot.right - plot.left >= 220 ? 3 : 2}
              last={words.last}
            />
            <Suspense fallback={null}>
              <ThroughputSeries
                plot={plot}
                columns={data.columns}
                from={from}
                to={to}
                top={scale.top}
                failedTop={failed.top}
                explain={stable}
                label={messages.throughput}
              />
            </Suspense>
            <Gaps gaps={data.gaps} from={from} to={to} plot={plot} />
            <EndLabels labels={labelsOf(snapshot.rates, scale.top, parts, messages)} plot={plot} />
          </>
        );
      }}
    </ChartFigure>
  );
}
