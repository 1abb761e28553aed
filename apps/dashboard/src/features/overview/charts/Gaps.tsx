import { type ReactNode, useId } from 'react';
import { type Plot, xOf } from './geometry.ts';
import type { Gap } from './series.model.ts';

/** Spans without data, hatched on paper over whatever a series draws across them. */
export function Gaps({ gaps, from, to, plot }: { gaps: readonly Gap[]; from: number; to: number; plot: Plot }): ReactNode {
  const id = useId();
  if (gaps.length === 0) return null;
  return (
    <svg className="chart-gaps" width={plot.width} height={plot.height} aria-hidden="true">
      <defs>
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" fill="var(--paper)" />
          <line x1="0" x2="0" y1="0" y2="6" stroke="var(--rule)" strokeWidth="1.5" />
        </pattern>
      </defs>
      {gaps.map((gap) => {
        const x = Math.max(plot.left, xOf(gap.from, from, to, plot));
        // A second of silence in a day would be no pixel wide, and a gap that cannot be seen is not said.
        const width = Math.max(6, xOf(gap.to, from, to, plot) - x);
        return (
          <rect
            key={gap.from}
            x={Math.min(x, plot.right - width)}
            y={plot.top}
            width={width}
            height={plot.bottom - plot.top}
            fill={`url(#${id})`}
          />
        );
      })}
    </svg>
  );
}
