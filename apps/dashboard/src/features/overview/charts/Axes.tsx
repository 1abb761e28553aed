import type { ReactNode } from 'react';
import { formatClock } from '../../../i18n/index.ts';
import { type Plot, xOf, yOf } from './geometry.ts';
import type { Scale } from './scale.model.ts';
import { timeTicks } from './series.model.ts';

export interface YAxis {
  readonly scale: Scale;
  readonly format: (value: number) => string;
  /** px from the top of the box. */
  readonly upper: number;
  readonly lower: number;
}

export interface AxesProps {
  plot: Plot;
  axes: readonly YAxis[];
  from: number;
  to: number;
  ticks: number;
  /** What stands under the right end: "now", or the time where it is not. */
  last: string;
}

function Grid({ axis, plot }: { axis: YAxis; plot: Plot }): ReactNode {
  return axis.scale.ticks.map((tick) => {
    const y = Math.round(yOf(tick, axis.scale.top, axis.upper, axis.lower)) + 0.5;
    return (
      <g key={tick}>
        <line x1={plot.left} x2={plot.right} y1={y} y2={y} stroke={tick === 0 ? 'var(--rule)' : 'var(--hair)'} />
        <text x={plot.left - 8} y={y + 4} textAnchor="end">
          {axis.format(tick)}
        </text>
      </g>
    );
  });
}

/** Grid, baseline and what stands beside them. Drawn before the series have been loaded, and under them afterwards. */
export function Axes({ plot, axes, from, to, ticks, last }: AxesProps): ReactNode {
  const times = timeTicks(from, to, ticks);
  return (
    <svg className="chart-axes" width={plot.width} height={plot.height} aria-hidden="true">
      {axes.map((axis) => (
        <Grid key={axis.lower} axis={axis} plot={plot} />
      ))}
      {times.map((time, index) => {
        const anchor = index === 0 ? 'start' : index === times.length - 1 ? 'end' : 'middle';
        return (
          <text key={time} x={xOf(time, from, to, plot)} y={plot.bottom + 18} textAnchor={anchor}>
            {index === times.length - 1 ? last : formatClock(time)}
          </text>
        );
      })}
    </svg>
  );
}
