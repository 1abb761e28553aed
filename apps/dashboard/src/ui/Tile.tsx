import type { TaskState } from '@galley/contract';
import type { ReactNode } from 'react';
import { UNKNOWN } from '../i18n/index.ts';
import './tile.css';
import { cx } from './cx.ts';
import { Sparkline } from './Sparkline.tsx';
import { STATE_COLOUR, StateMark } from './StateMark.tsx';
import { Tooltip } from './Tooltip.tsx';

export interface TileProps {
  label: string;
  state?: TaskState;
  /** The figure as drawn; null where it is not known. */
  value: string | null;
  /** Smaller, after the figure: `s`, `/ 32`. */
  unit?: string;
  /** The whole number, where the figure is cut short. */
  full?: string | undefined;
  /** One line: a unit, a comparison or a consequence. */
  line?: string | undefined;
  zero?: boolean;
  /** Dead letters above zero: label and figure in `dead`. */
  alarm?: boolean;
  trend?: readonly (number | null)[];
  trendColour?: string;
}

/** Past 7 characters the figure is set smaller and the sparkline gives way. */
const LONG = 7;

/** A figure with what it counts and what it means. The caller wraps it in the link it is: `<Link className="tile-link">`. */
export function Tile({ label, state, value, unit, full, line, zero = false, alarm = false, trend, trendColour }: TileProps): ReactNode {
  const long = (value?.length ?? 0) > LONG;
  const colour = trendColour ?? (state === undefined ? 'var(--ink-2)' : STATE_COLOUR[state]);
  const figure = <span className={cx('tile-figure', 'type-figure', long && 'tile-figure--long')}>{value ?? UNKNOWN}</span>;
  return (
    <span className={cx('tile', zero && 'tile--zero', alarm && 'tile--alarm')}>
      <span className="tile-label type-control">
        {state !== undefined && <StateMark state={state} colour={zero ? 'current' : 'state'} />}
        {label}
      </span>
      <span className="tile-value">
        {full === undefined ? figure : <Tooltip text={full}>{figure}</Tooltip>}
        {unit !== undefined && value !== null && <span className="tile-unit">{unit}</span>}
      </span>
      <span className="tile-line type-meta">{line}</span>
      {trend !== undefined && !zero && !long && value !== null && (
        <span className="tile-trend">
          <Sparkline values={trend} colour={colour} />
        </span>
      )}
    </span>
  );
}
