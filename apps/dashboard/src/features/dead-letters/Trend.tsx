import type { ReactNode } from 'react';
import { formatCount, useMessages } from '../../i18n/index.ts';
import { dead } from './messages.ts';

const BAR = 8;
const STEP = 9.75;
const HEIGHT = 26;

/** Deaths per hour as bars on a line, the running hour last and red where it is not empty. */
export function Trend({ hours }: { hours: readonly number[] }): ReactNode {
  const messages = useMessages(dead);
  const most = Math.max(5, ...hours);
  const width = STEP * hours.length - (STEP - BAR);
  return (
    <div className="trend">
      <svg width={width} height={HEIGHT + 1} viewBox={`0 0 ${width} ${HEIGHT + 1}`} aria-hidden="true">
        <path d={`M0 ${HEIGHT + 0.5}H${width}`} stroke="var(--rule)" />
        {hours.map((count, index) => {
          const height = count === 0 ? 0 : Math.max(2.5, (count / most) * HEIGHT);
          const x = index * STEP;
          return (
            <rect
              key={x}
              x={x}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              fill={index === hours.length - 1 ? 'var(--dead)' : 'var(--rule-ctl)'}
            />
          );
        })}
      </svg>
      <span className="visually-hidden">{messages.trendOf(formatCount(hours.at(-1) ?? 0))}</span>
    </div>
  );
}
