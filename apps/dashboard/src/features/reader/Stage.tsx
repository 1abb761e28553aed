import type { PageResult } from '@galley/contract';
import { ChevronDown, ChevronLeft, ChevronRight, Maximize, RotateCw, ZoomIn, ZoomOut } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { formatCount, formatPercent, useMessages } from '../../i18n/index.ts';
import { IconButton, Menu, MenuActions, Segments } from '../../ui/index.ts';
import { reader } from './messages.ts';
import { PagePicture } from './PagePicture.tsx';
import { certaintyCounts, kindCounts } from './page.model.ts';
import { usePanning, useSize, useZooming } from './useStage.ts';
import { BOX_MODES, setView, useView } from './view.ts';
import { rotatedOn, STAGE_PADDING, scaleOf, stepped } from './zoom.model.ts';

export interface PageSteps {
  readonly page: number;
  readonly total: number | null;
  readonly go: (page: number) => void;
}

function Steps({ steps: { page, total, go } }: { steps: PageSteps }): ReactNode {
  const messages = useMessages(reader);
  const label = total === null ? messages.page(formatCount(page)) : messages.pageOf(formatCount(page), formatCount(total));
  return (
    <div className="stage-steps">
      <IconButton label={messages.previous} icon={<ChevronLeft />} inactive={page <= 1} onClick={() => go(page - 1)} />
      <span className="type-control">{label}</span>
      <IconButton label={messages.next} icon={<ChevronRight />} inactive={total === null || page >= total} onClick={() => go(page + 1)} />
    </div>
  );
}

function ZoomTools({ scale }: { scale: number }): ReactNode {
  const messages = useMessages(reader);
  const trigger = (
    <button type="button" className="stage-percent type-control" aria-label={`${messages.fits}, ${formatPercent(scale)}`}>
      {formatPercent(Math.round(scale * 100) / 100)}
      <ChevronDown size={12} strokeWidth={1.75} aria-hidden="true" />
    </button>
  );
  return (
    <div className="stage-zoom">
      <IconButton label={messages.zoomOut} icon={<ZoomOut />} onClick={() => setView({ zoom: stepped(scale, -1) })} />
      <Menu label={messages.fits} trigger={trigger}>
        <MenuActions
          items={[
            { id: 'width', label: messages.fitWidth, keys: 'w', onSelect: () => setView({ zoom: 'width' }) },
            { id: 'page', label: messages.fitPage, keys: 'h', onSelect: () => setView({ zoom: 'page' }) },
            { id: 'actual', label: messages.actual, keys: '0', onSelect: () => setView({ zoom: 1 }) },
          ]}
        />
      </Menu>
      <IconButton label={messages.zoomIn} icon={<ZoomIn />} onClick={() => setView({ zoom: stepped(scale, 1) })} />
      <IconButton className="stage-fit" label={messages.fitPage} icon={<Maximize />} onClick={() => setView({ zoom: 'page' })} />
      <IconButton
        label={messages.rotate}
        icon={<RotateCw />}
        onClick={() => setView({ rotation: rotatedOn(useView.getState().rotation) })}
      />
    </div>
  );
}

function Legend({ page }: { page: PageResult }): ReactNode {
  const messages = useMessages(reader);
  const mode = useView((view) => view.boxes);
  const entries = useMemo(() => {
    if (mode === 'off') return [];
    if (mode === 'kind')
      return kindCounts(page).map(({ kind, count }) => ({ id: kind, className: `box-${kind}`, label: messages.kinds[kind], count }));
    return certaintyCounts(page).map(({ certainty, count }) => ({
      id: certainty,
      className: `sure-${certainty}`,
      label: messages.certainty[certainty],
      count,
    }));
  }, [mode, page, messages]);
  if (entries.length === 0) return null;
  return (
    <ul className="legend type-meta">
      {entries.map(({ id, className, label, count }) => (
        <li key={id}>
          <i className={`legend-swatch ${className}`} aria-hidden="true" />
          {label} <span>{formatCount(count)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The picture of the page on its stage, with the tools over it. `children` stand in for a page that is not read yet. */
export function Stage({
  taskId,
  page,
  version,
  steps,
  phone,
  children,
}: {
  taskId: string;
  page: PageResult | undefined;
  version: string;
  steps: PageSteps;
  phone: boolean;
  children?: ReactNode;
}): ReactNode {
  const messages = useMessages(reader);
  const stage = useRef<HTMLDivElement>(null);
  const size = useSize(stage);
  const zoom = useView((view) => view.zoom);
  const rotation = useView((view) => view.rotation);
  const boxes = useView((view) => view.boxes);
  const pinned = useView((view) => view.pinned);
  const padding = phone ? 10 : STAGE_PADDING;
  const scale = page === undefined || size === null ? 1 : scaleOf(zoom, page, rotation, size, padding);
  useZooming(stage, scale);
  usePanning(stage);
  useEffect(() => {
    stage.current?.scrollTo(0, 0);
  }, [steps.page]);
  useEffect(() => {
    if (pinned?.from !== 'text') return;
    stage.current?.querySelector(`[data-target="${pinned.key}"]`)?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }, [pinned]);
  return (
    <section className="stage-column" aria-label={messages.stage}>
      {!phone && (
        <div className="stage-tools">
          <Steps steps={steps} />
          <i className="stage-divider" aria-hidden="true" />
          <ZoomTools scale={scale} />
          <div className="stage-boxes">
            <span className="type-control" aria-hidden="true">
              {messages.boxes}
            </span>
            <Segments
              label={messages.boxes}
              value={boxes}
              choices={BOX_MODES.map((value) => ({ value, label: messages.modes[value] }))}
              onChoose={(value) => setView({ boxes: value })}
            />
          </div>
        </div>
      )}
      <div className="stage-hold">
        {/* A person has to be able to pan by the keyboard too. */}
        <div ref={stage} className="stage" data-scale={scale} {...PANNABLE} aria-label={messages.picture(String(steps.page))}>
          {page !== undefined && size !== null ? (
            <div className="stage-sheet" style={{ padding }}>
              <PagePicture taskId={taskId} page={page} scale={scale} version={version} tabs={!phone} />
            </div>
          ) : (
            <div className="stage-empty">{children}</div>
          )}
        </div>
        {page !== undefined && !phone && <Legend page={page} />}
        {phone && steps.total !== null && steps.total > 1 && (
          <div className="stage-pager">
            <IconButton
              label={messages.previous}
              icon={<ChevronLeft />}
              inactive={steps.page <= 1}
              onClick={() => steps.go(steps.page - 1)}
            />
            <span className="type-control">{messages.pageOfShort(formatCount(steps.page), formatCount(steps.total))}</span>
            <IconButton
              label={messages.next}
              icon={<ChevronRight />}
              inactive={steps.page >= steps.total}
              onClick={() => steps.go(steps.page + 1)}
            />
          </div>
        )}
      </div>
    </section>
  );
}

const PANNABLE = { role: 'group', tabIndex: 0 } as const;
