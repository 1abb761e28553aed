import type { ReactNode } from 'react';
import { sparklinePoints } from './sparkline.ts';
import './sparkline.css';

export interface SparklineProps {
  /** Oldest first; null where nothing was measured, and the line breaks there. */
  values: readonly (number | null)[];
  colour?: string;
}

const WIDTH = 56;
const HEIGHT = 28;

/** The shape of the last while, beside a number that says it; so nothing for a screen reader. */
export function Sparkline({ values, colour = 'var(--ink-2)' }: SparklineProps): ReactNode {
  const points = sparklinePoints(values, WIDTH, HEIGHT);
  const last = points.at(-1);
  if (points.length < 2 || last === undefined) return null;
  const path = points.map(({ x, y, starts }) => `${starts ? 'M' : 'L'}${x} ${y}`).join('');
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} style={{ color: colour }} aria-hidden="true" preserveAspectRatio="none">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.25" strokeLinejoin="round" vectorEffect="non-scaling-stroke" />
      <circle cx={last.x} cy={last.y} r="2" fill="currentColor" />
    </svg>
  );
}
