import type { TaskState } from '@galley/contract';
import type { ReactNode } from 'react';
import { common, useMessages } from '../i18n/index.ts';
import './badge.css';
import { StateMark } from './StateMark.tsx';

/** Mark and name of a state on its wash. */
export function StateBadge({ state }: { state: TaskState }): ReactNode {
  const messages = useMessages(common);
  return (
    <span className={`badge badge--${state}`}>
      <StateMark state={state} />
      {messages.state[state]}
    </span>
  );
}
