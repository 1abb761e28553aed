import type { ReactNode } from 'react';
import { formatCount } from '../i18n/index.ts';
import './progress.css';

/** A bar 4 px high. `share`: 0 to 1. */
export function ProgressBar({ share, colour = 'var(--processing)', label }: { share: number; colour?: string; label: string }): ReactNode {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <span className="progress" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <i style={{ transform: `scaleX(${share})`, background: colour }} />
    </span>
  );
}

export interface ProgressPart {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  readonly colour: string;
}

/** A bar 14 high in parts, each at least 5 px wide, and under it each part's name with its count. */
export function SegmentedProgress({ parts, label }: { parts: readonly ProgressPart[]; label: string }): ReactNode {
  const present = parts.filter((part) => part.count > 0);
  return (
    <div className="segments-progress">
      <div
        className="segments-bar"
        role="img"
        aria-label={`${label}: ${present.map((part) => `${part.label} ${formatCount(part.count)}`).join(', ')}`}
      >
        {present.map((part) => (
          <i key={part.id} style={{ flexGrow: part.count, background: part.colour }} />
        ))}
      </div>
      <ul className="segments-key type-meta" aria-hidden="true">
        {parts.map((part) => (
          <li key={part.id}>
            <i style={{ background: part.colour }} />
            {part.label} <strong>{formatCount(part.count)}</strong>
          </li>
        ))}
      </ul>
    </div>
  );
}
