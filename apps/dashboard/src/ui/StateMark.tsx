import type { TaskState } from '@galley/contract';
import type { CSSProperties, ReactNode } from 'react';

/** The custom property that holds a state's colour. */
export const STATE_COLOUR = {
  scheduled: 'var(--scheduled)',
  pending: 'var(--pending)',
  processing: 'var(--processing)',
  retrying: 'var(--retrying)',
  waiting: 'var(--waiting)',
  completed: 'var(--completed)',
  cancelled: 'var(--cancelled)',
  dead_letter: 'var(--dead)',
} as const satisfies Record<TaskState, string>;

const MARKS: Readonly<Record<TaskState, ReactNode>> = {
  scheduled: (
    <g strokeWidth="1.4">
      <circle cx="6" cy="6" r="4.75" />
      <path d="M6 3.4V6l1.8 1.2" />
    </g>
  ),
  pending: <circle cx="6" cy="6" r="4.25" strokeWidth="1.5" />,
  processing: <path d="M2.6 1.5v9L10.6 6z" fill="currentColor" strokeWidth="1" strokeLinejoin="round" />,
  retrying: (
    <g strokeWidth="1.5">
      <path d="M10.2 6.6A4.3 4.3 0 1 1 9 2.9" />
      <path d="M9.9.9v2.5H7.4" />
    </g>
  ),
  waiting: (
    <g fill="currentColor" stroke="none">
      <rect x=".6" y="4.6" width="2.8" height="2.8" />
      <rect x="4.6" y="4.6" width="2.8" height="2.8" />
      <rect x="8.6" y="4.6" width="2.8" height="2.8" />
    </g>
  ),
  completed: <path d="M1.9 6.4l2.8 2.8L10.2 3.2" strokeWidth="1.9" />,
  cancelled: (
    <g strokeWidth="1.4">
      <circle cx="6" cy="6" r="4.5" />
      <path d="M2.9 9.1l6.2-6.2" />
    </g>
  ),
  dead_letter: (
    <g stroke="none">
      <rect x=".75" y=".75" width="10.5" height="10.5" rx="1.5" fill="currentColor" />
      <path d="M3.6 3.6l4.8 4.8M8.4 3.6L3.6 8.4" stroke="var(--paper)" strokeWidth="1.6" />
    </g>
  ),
};

export interface StateMarkProps {
  state: TaskState;
  size?: number;
  /** `current` takes the colour of the text around it, as on a tile whose count is zero. */
  colour?: 'state' | 'current';
  style?: CSSProperties;
}

/** The mark of a state; alone only where a text label stands beside it. */
export function StateMark({ state, size = 12, colour = 'state', style }: StateMarkProps): ReactNode {
  return (
    <svg
      className="mark"
      width={size}
      height={size}
      viewBox="0 0 12 12"
      fill="none"
      stroke="currentColor"
      style={{ color: colour === 'state' ? STATE_COLOUR[state] : 'currentColor', ...style }}
      aria-hidden="true"
    >
      {MARKS[state]}
    </svg>
  );
}
