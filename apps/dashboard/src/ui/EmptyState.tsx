import type { ReactNode } from 'react';
import './empty.css';
import { EmptyTray } from './Logo.tsx';

/** An empty page: what is not here, and the next step. `tray` draws the empty galley. */
export function EmptyState({
  title,
  text,
  actions,
  tray = false,
}: {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  tray?: boolean;
}): ReactNode {
  return (
    <div className="empty">
      {tray && <EmptyTray />}
      <h2 className="type-empty">{title}</h2>
      {text !== undefined && <p className="empty-text">{text}</p>}
      {actions !== undefined && <div className="empty-actions">{actions}</div>}
    </div>
  );
}
