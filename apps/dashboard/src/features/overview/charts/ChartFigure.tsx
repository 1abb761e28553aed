import { Table2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { common, useMessages } from '../../../i18n/index.ts';
import { Cell, Dialog, HeadCell, IconButton, SectionHead, Table } from '../../../ui/index.ts';
import { details } from '../details.messages.ts';
import './charts.css';

export interface TableView {
  readonly heads: readonly string[];
  /** Newest first; made when the table is opened. */
  readonly rows: () => readonly { readonly id: number; readonly cells: readonly string[] }[];
}

export interface ChartFigureProps {
  title: string;
  meta?: string;
  sub?: boolean;
  height: number;
  /** The latest values in a sentence. */
  caption: string;
  table: TableView;
  /** Said in the middle where there is nothing to draw. */
  empty: string | null;
  /** Draws into the box once its width is known. */
  children: (width: number) => ReactNode;
}

/** An element's width in whole px, kept up to date; null until it has been measured. */
function useWidth(): [(element: HTMLElement | null) => void, number | null] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState<number | null>(null);
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, width];
}

function TableDialog({ title, table, onClose }: { title: string; table: TableView; onClose: () => void }): ReactNode {
  const { close } = useMessages(common);
  const rows = useRef(table.rows());
  return (
    <Dialog open onClose={onClose} title={title} closeLabel={close} width={640}>
      <div className="chart-table">
        <Table label={title}>
          <thead>
            <tr>
              {table.heads.map((head, index) => (
                <HeadCell key={head} number={index > 0}>
                  {head}
                </HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.current.map(({ id, cells }) => (
              <tr key={id}>
                {cells.map((cell, index) => (
                  <Cell key={table.heads[index] ?? index} number={index > 0}>
                    {cell}
                  </Cell>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Dialog>
  );
}

/** A chart with its head, its caption for those who cannot see it, and its numbers as a table. */
export function ChartFigure({ title, meta, sub = false, height, caption, table, empty, children }: ChartFigureProps): ReactNode {
  const messages = useMessages(details);
  const [measure, width] = useWidth();
  const [open, setOpen] = useState(false);
  return (
    <figure className="chart">
      <SectionHead
        title={title}
        meta={meta}
        sub={sub}
        aside={
          <IconButton size="small" className="chart-as-table" label={messages.viewTable} icon={<Table2 />} onClick={() => setOpen(true)} />
        }
      />
      <figcaption className="visually-hidden">{caption}</figcaption>
      <div ref={measure} className="chart-box" style={{ height }}>
        {width !== null && width > 0 && children(width)}
        {empty !== null && <p className="chart-empty type-control">{empty}</p>}
      </div>
      {open && <TableDialog title={title} table={table} onClose={() => setOpen(false)} />}
    </figure>
  );
}
