import type { ReactNode } from 'react';

/** The galley: a printer's three-sided tray with lines of type in it. */
export function Logo({ size = 22 }: { size?: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 22 22" fill="none" stroke="var(--ink-1)" aria-hidden="true">
      <path d="M20 2.5H2.5v17H20" strokeWidth="2.4" />
      <path d="M6.5 7h10M6.5 11h13M6.5 15h7.5" strokeWidth="2.2" />
    </svg>
  );
}

/** The empty galley of a first run: the same tray, its lines not set yet. */
export function EmptyTray(): ReactNode {
  return (
    <svg width="178" height="96" viewBox="0 0 178 96" fill="none" aria-hidden="true">
      <path d="M178 4H4v88h174" stroke="var(--ink-1)" strokeWidth="5" />
      <path d="M178 13H12.5v70H178" stroke="var(--rule)" strokeWidth="1.5" />
      <path d="M22 23h110v10H22zM22 44h138v10H22zM22 65h84v10H22z" stroke="var(--rule-ctl)" strokeWidth="1.5" strokeDasharray="3 2.5" />
    </svg>
  );
}
