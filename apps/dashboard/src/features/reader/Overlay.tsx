import type { Block, Line, PageResult } from '@galley/contract';
import { type ReactNode, useMemo } from 'react';
import { cx } from '../../ui/index.ts';
import { blockKey, boxOfLines, certaintyOf, partTargets, type Target } from './page.model.ts';
import { type BoxMode, hover, pin, useIsLit, useView } from './view.ts';

/** px on the screen. */
const TAB = { height: 15, font: 11, pad: 4, letter: 6.2, gap: 2 } as const;

/** A label outside left of a box, of the same size at every zoom. `unit`: page px for a px of the screen. */
function BoxTab({ x, y, text, unit, className }: { x: number; y: number; text: string; unit: number; className: string }): ReactNode {
  const width = (text.length * TAB.letter + 2 * TAB.pad) * unit;
  const left = Math.max(0, x - width - TAB.gap * unit);
  return (
    <g className={className}>
      <rect x={left} y={y} width={width} height={TAB.height * unit} rx={unit} />
      <text x={left + width / 2} y={y + 11.4 * unit} fontSize={TAB.font * unit} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

function Shape({ target: { key, box }, className }: { target: Target; className: string }): ReactNode {
  const lit = useIsLit(key);
  const [left, top, right, bottom] = box;
  return (
    <rect
      data-target={key}
      className={cx(className, lit && 'is-lit')}
      x={left}
      y={top}
      width={Math.max(1, right - left)}
      height={Math.max(1, bottom - top)}
      onPointerEnter={() => hover(key)}
      onPointerLeave={() => hover(null)}
      onClick={() => pin(key, 'picture')}
    />
  );
}

function KindBox({ block, unit, tabs }: { block: Block; unit: number; tabs: boolean }): ReactNode {
  const parts = useMemo(() => partTargets(block), [block]);
  const pad = 2 * unit;
  const [left, top, right, bottom] = block.bbox;
  const box = [left - pad, top - pad, right + pad, bottom + pad] as const;
  return (
    <g className={`box-${block.type}`}>
      <Shape target={{ key: blockKey(block.id), box: [...box] }} className="box" />
      {parts.map((part) => (
        <Shape key={part.key} target={part} className="box-part" />
      ))}
      {tabs && <BoxTab x={box[0]} y={box[1]} text={String(block.id)} unit={unit} className="box-tab" />}
    </g>
  );
}

function ConfidenceLine({ line, unit, tabs }: { line: Line; unit: number; tabs: boolean }): ReactNode {
  const box = boxOfLines([line]);
  const certainty = certaintyOf(line.confidence);
  if (box === null) return null;
  return (
    <g className={`sure-${certainty}`}>
      <polygon className="box" points={line.polygon.map(([x, y]) => `${x},${y}`).join(' ')} />
      {tabs && certainty !== 'high' && <BoxTab x={box[0]} y={box[1]} text={line.confidence.toFixed(2)} unit={unit} className="box-tab" />}
    </g>
  );
}

function ConfidenceBoxes({ block, unit, tabs }: { block: Block; unit: number; tabs: boolean }): ReactNode {
  const parts = useMemo(() => partTargets(block), [block]);
  return (
    <g>
      {block.lines.map((line, index) => (
        <ConfidenceLine key={`${block.id}-${index + 1}`} line={line} unit={unit} tabs={tabs} />
      ))}
      {parts.map((part) => (
        <Shape key={part.key} target={part} className="box-part" />
      ))}
    </g>
  );
}

function QuietTargets({ block }: { block: Block }): ReactNode {
  const parts = useMemo(() => partTargets(block), [block]);
  return parts.map((part) => <Shape key={part.key} target={part} className="box-part" />);
}

const DRAWN: Readonly<Record<BoxMode, (props: { block: Block; unit: number; tabs: boolean }) => ReactNode>> = {
  kind: KindBox,
  confidence: ConfidenceBoxes,
  off: QuietTargets,
};

/** Boxes over the picture, in page px. Their text is beside the picture, so nothing here is for a screen reader. */
export function Overlay({ page, scale, tabs }: { page: PageResult; scale: number; tabs: boolean }): ReactNode {
  const mode = useView((view) => view.boxes);
  const Drawn = DRAWN[mode];
  return (
    <svg className="overlay" viewBox={`0 0 ${page.width} ${page.height}`} preserveAspectRatio="none" aria-hidden="true">
      {page.blocks.map((block) => (
        <Drawn key={block.id} block={block} unit={1 / scale} tabs={tabs} />
      ))}
    </svg>
  );
}
