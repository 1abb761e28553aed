import { bandOf, PRIORITY_PRESETS, type PriorityBand } from '@galley/contract';
import type { ReactNode } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import './priority.css';
import { cx } from './cx.ts';

const FILLED = { bulk: 1, normal: 2, high: 3, urgent: 4 } as const satisfies Record<PriorityBand, number>;
const BARS = [
  { x: 0, height: 4 },
  { x: 5, height: 7 },
  { x: 10, height: 10 },
  { x: 15, height: 12 },
] as const;

/** The four bars of a priority band. */
export function PriorityBars({ band }: { band: PriorityBand }): ReactNode {
  return (
    <svg className="priority-bars" width="18" height="12" viewBox="0 0 18 12" aria-hidden="true">
      {BARS.map(({ x, height }, index) => (
        <rect key={x} x={x} y={12 - height} width="3" height={height} fill={index < FILLED[band] ? 'var(--ink-1)' : 'var(--rule)'} />
      ))}
    </svg>
  );
}

/** Bars, the preset's name, the number. A number that is no preset shows its band's bars and the number alone. */
export function PriorityChip({ priority, numbered = true }: { priority: number; numbered?: boolean }): ReactNode {
  const messages = useMessages(common);
  const band = bandOf(priority);
  const preset = PRIORITY_PRESETS[band] === priority;
  return (
    <span className={cx('priority', priority === PRIORITY_PRESETS.urgent && 'priority--urgent')}>
      <PriorityBars band={band} />
      {preset && <span className="priority-name">{messages.priority[band]}</span>}
      {(numbered || !preset) && <span className="priority-number">{priority}</span>}
    </span>
  );
}
