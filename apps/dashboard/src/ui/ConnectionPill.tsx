import { Pause } from 'lucide-react';
import type { ReactNode } from 'react';
import './pill.css';

export type PillKind = 'live' | 'connecting' | 'offline' | 'paused';

/** How the page stands with the server: a dot, a ring, or the pause sign, and the word. */
export function ConnectionPill({ kind, text }: { kind: PillKind; text: string }): ReactNode {
  return (
    <span className={`pill pill--${kind}`}>
      {kind === 'paused' ? <Pause size={14} strokeWidth={1.75} aria-hidden="true" /> : <i className="pill-dot" />}
      {text}
    </span>
  );
}
