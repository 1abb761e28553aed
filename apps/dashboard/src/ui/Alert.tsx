import { Info, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import './alert.css';

export type AlertKind = 'warn' | 'error' | 'info';

export interface AlertProps {
  kind?: AlertKind;
  /** What is so, in one short sentence. */
  what: ReactNode;
  /** Why, or what follows from it. */
  why?: ReactNode;
  /** 18 px; by the kind where left out. */
  icon?: ReactNode;
  /** One or two links or `.link` buttons. */
  actions?: ReactNode;
  role?: 'alert' | 'status';
}

const ICONS: Readonly<Record<AlertKind, ReactNode>> = {
  warn: <TriangleAlert size={18} strokeWidth={1.75} aria-hidden="true" />,
  error: <OctagonAlert size={18} strokeWidth={1.75} aria-hidden="true" />,
  info: <Info size={18} strokeWidth={1.75} aria-hidden="true" />,
};

/** Says what happened, then what to do. It cannot be closed while its cause lasts. */
export function Alert({ kind = 'warn', what, why, icon, actions, role }: AlertProps): ReactNode {
  return (
    <div className={`alert alert--${kind}`} role={role}>
      <span className="alert-icon">{icon ?? ICONS[kind]}</span>
      <p className="alert-text type-control">
        <strong>{what}</strong>
        {why !== undefined && <> {why}</>}
      </p>
      {actions !== undefined && <div className="alert-actions type-control">{actions}</div>}
    </div>
  );
}
