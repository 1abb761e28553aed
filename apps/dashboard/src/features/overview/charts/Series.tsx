import { PRIORITY_BANDS } from '@galley/contract';
import { memo, type ReactNode } from 'react';
import { Area, Bar, ComposedChart, type DotItemDotProps, Line, Tooltip, XAxis, YAxis } from 'recharts';
import { BAND_COLOURS } from './bands.ts';
import { BOTTOM, LEFT, type Plot, STRIP, STRIP_GAP, TOP } from './geometry.ts';
import { type Column, isAlone, type Row } from './series.model.ts';

/** What the tooltip says about a moment; null where there is nothing to say. */
export type Explain = (at: number) => ReactNode;

/**
 * Whether a series would look the same. A snapshot comes every second and changes the labels beside a chart;
 * drawing the chart itself each time took a quarter of a core.
 */
function looksTheSame<Props extends Common>(before: Props, after: Props): boolean {
  const { plot, ...rest } = after;
  const earlier = new Map<string, unknown>(Object.entries(before));
  const samePlot = plot.width === before.plot.width && plot.height === before.plot.height && plot.right === before.plot.right;
  return samePlot && Object.entries(rest).every(([key, value]) => Object.is(earlier.get(key), value));
}

interface Common {
  plot: Plot;
  from: number;
  to: number;
  /** Has to stay the same function, see `useStable`. */
  explain: Explain;
  label: string;
}

const STILL = { isAnimationActive: false, dot: false, activeDot: false } as const;
const CURSOR = { stroke: 'var(--ink-3)', strokeWidth: 1 } as const;

function tooltip(explain: Explain): ReactNode {
  return (
    <Tooltip
      isAnimationActive={false}
      cursor={CURSOR}
      content={({ active, label }) => (active && typeof label === 'number' ? <div className="chart-tooltip">{explain(label)}</div> : null)}
    />
  );
}

function frame({ plot, label }: Common) {
  return {
    width: plot.width,
    height: plot.height,
    margin: { left: LEFT, right: plot.width - plot.right, top: TOP, bottom: BOTTOM },
    className: 'chart-series',
    title: label,
  };
}

function timeAxis({ from, to }: Common): ReactNode {
  return <XAxis hide dataKey="at" type="number" domain={[from, to]} allowDataOverflow />;
}

/** Pending tasks, one area on the other, the most urgent on top; the total is a line in ink. */
function DrawnDepthSeries({ rows, top, ...common }: Common & { rows: readonly Row[]; top: number }): ReactNode {
  return (
    <ComposedChart {...frame(common)} data={[...rows]}>
      {timeAxis(common)}
      <YAxis hide domain={[0, top]} allowDataOverflow />
      {[...PRIORITY_BANDS].reverse().map((band) => (
        <Area
          key={band}
          {...STILL}
          type="linear"
          stackId="depth"
          dataKey={(row: Row) => row.bands[band]}
          fill={BAND_COLOURS[band]}
          fillOpacity={1}
          stroke="var(--paper)"
          strokeWidth={1.25}
        />
      ))}
      <Line {...STILL} type="linear" dataKey="total" stroke="var(--ink-1)" strokeWidth={1.25} />
      {tooltip(common.explain)}
    </ComposedChart>
  );
}

/**
 * Done as columns, submitted as a line, failed as columns in a strip under them with its own scale.
 * One chart draws both: each y axis reaches beyond its own part just so far that its numbers fall where they belong.
 */
function DrawnThroughputSeries({
  columns,
  top,
  failedTop,
  ...common
}: Common & { columns: readonly Column[]; top: number; failedTop: number }): ReactNode {
  const { plot } = common;
  const whole = plot.bottom - plot.top;
  const main = whole - STRIP - STRIP_GAP;
  const span = columns.length < 2 ? 60_000 : Math.min(...columns.slice(1).map((column, index) => column.at - (columns[index]?.at ?? 0)));
  const pitch = ((plot.right - plot.left) * span) / (common.to - common.from);
  const barSize = Math.max(1, Math.round(pitch * 0.72));
  return (
    <ComposedChart {...frame(common)} data={[...columns]} barGap={-barSize}>
      {timeAxis(common)}
      <YAxis yAxisId="main" hide domain={[-(top * (STRIP + STRIP_GAP)) / main, top]} allowDataOverflow />
      <YAxis yAxisId="failed" hide orientation="right" domain={[0, (failedTop * whole) / STRIP]} allowDataOverflow />
      <Bar yAxisId="main" dataKey="done" fill="var(--rule-ctl)" barSize={barSize} isAnimationActive={false} />
      <Bar yAxisId="failed" dataKey="failed" fill="var(--dead)" barSize={barSize} isAnimationActive={false} />
      <Line {...STILL} yAxisId="main" type="linear" dataKey="submitted" stroke="var(--ink-1)" strokeWidth={1.5} />
      {tooltip(common.explain)}
    </ComposedChart>
  );
}

/** Draws a dot where a line would draw nothing. */
function loneDot(rows: readonly Row[], value: (row: Row) => number | null, colour: string) {
  return ({ index, cx, cy }: DotItemDotProps): ReactNode =>
    isAlone(rows, index, value) && cx !== undefined && cy !== undefined ? (
      <circle key={index} cx={cx} cy={cy} r={2} fill={colour} />
    ) : (
      <g key={index} />
    );
}

/** p50 solid, p95 dashed. */
function DrawnQuantileSeries({ rows, of, top, ...common }: Common & { rows: readonly Row[]; of: 'wait' | 'run'; top: number }): ReactNode {
  return (
    <ComposedChart {...frame(common)} data={[...rows]}>
      {timeAxis(common)}
      <YAxis hide domain={[0, top]} allowDataOverflow />
      <Line
        {...STILL}
        dot={loneDot(rows, (row) => row[of].p95, 'var(--ink-2)')}
        type="linear"
        dataKey={(row: Row) => row[of].p95}
        stroke="var(--ink-2)"
        strokeWidth={1.5}
        strokeDasharray="5 3"
      />
      <Line
        {...STILL}
        dot={loneDot(rows, (row) => row[of].p50, 'var(--ink-1)')}
        type="linear"
        dataKey={(row: Row) => row[of].p50}
        stroke="var(--ink-1)"
        strokeWidth={2}
      />
      {tooltip(common.explain)}
    </ComposedChart>
  );
}

export const DepthSeries = memo(DrawnDepthSeries, looksTheSame);
export const ThroughputSeries = memo(DrawnThroughputSeries, looksTheSame);
export const QuantileSeries = memo(DrawnQuantileSeries, looksTheSame);
