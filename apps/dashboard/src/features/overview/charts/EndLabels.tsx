import type { ReactNode } from 'react';
import { LABEL_GAP, type Plot } from './geometry.ts';
import { placedLabels } from './labels.model.ts';

export interface EndLabel {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly colour: string;
  readonly swatch: 'square' | 'line' | 'dashed';
  /** Where its series ends, px from the top. */
  readonly y: number;
}

const ROOM = 8;

function Swatch({ label }: { label: EndLabel }): ReactNode {
  if (label.swatch === 'square') return <i className="end-square" style={{ background: label.colour }} />;
  const dashed = label.swatch === 'dashed';
  return (
    <svg className="end-line" width="12" height="2" aria-hidden="true">
      <line
        x1="0"
        x2="12"
        y1="1"
        y2="1"
        stroke={label.colour}
        strokeWidth={dashed ? 1.5 : 2}
        strokeDasharray={dashed ? '5 3' : undefined}
      />
    </svg>
  );
}

/** The legend at the end of the series: swatch, name, live value. */
export function EndLabels({ labels, plot }: { labels: readonly EndLabel[]; plot: Plot }): ReactNode {
  const placed = placedLabels(
    labels.map(({ id, y }) => ({ id, target: y })),
    { gap: LABEL_GAP, top: plot.top + ROOM, bottom: plot.bottom - ROOM },
  );
  return (
    <div className="end-labels" style={{ left: plot.right }}>
      <svg width="12" height={plot.height} aria-hidden="true">
        {placed.map(({ id, target, y }) => (
          <path key={id} d={`M2 ${target}L9 ${y}`} fill="none" stroke="var(--rule)" />
        ))}
      </svg>
      {labels.map((label) => (
        <span key={label.id} className="end-label" style={{ top: (placed.find(({ id }) => id === label.id)?.y ?? label.y) - 9 }}>
          <Swatch label={label} />
          {label.name} <span className="end-value">{label.value}</span>
        </span>
      ))}
    </div>
  );
}
