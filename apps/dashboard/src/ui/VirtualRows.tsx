import { type ReactNode, useEffect, useRef } from 'react';
import { cx } from './cx.ts';
import { useWindowRows } from './useWindowRows.ts';
import './virtualrows.css';

export interface VirtualRowsProps<Row> {
  /** Its name for a screen reader. */
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** px of a row before it is measured. */
  rowHeight: number;
  /** The cells of a row, each a `td`. */
  children: (row: Row, index: number) => ReactNode;
  /** The head's cells, each a `th`. */
  head?: ReactNode;
  /** Between head and rows, such as an offer to select more. */
  notice?: ReactNode;
  /** Rows that there are, also those not loaded; null where nobody knows. */
  total?: number | null;
  rowClass?: (row: Row) => string | false | undefined;
  selected?: (row: Row) => boolean;
  /** The key of the row that the keyboard stands on. */
  active: string | null;
  onActive: (key: string) => void;
  onOpen?: (row: Row) => void;
  /** The last rows come into view: load more. */
  onEnd?: () => void;
  className?: string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };
const END_WITHIN = 20;
/** A table whose rows take the focus is a grid (ARIA authoring practices). */
const GRID = { role: 'grid' } as const;

export function rowOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof HTMLElement && target.matches('tr[data-key]') ? target : null;
}

/** Focuses a row that the virtual list is about to draw. */
export function focusRow(list: HTMLElement | null, key: string): void {
  requestAnimationFrame(() => list?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(key)}"]`)?.focus());
}

/** Arrows move from row to row, Enter opens; only where a row itself has the focus, so that links and boxes in it keep their keys. */
function useRowKeys<Row>(list: React.RefObject<HTMLElement | null>, scrollTo: (index: number) => void, props: VirtualRowsProps<Row>): void {
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const { rows, rowKey, active, onActive, onOpen } = props;
    const index = active === null ? -1 : rows.findIndex((row) => rowKey(row) === active);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (rowOf(event.target) === null) return;
      const step = STEPS[event.key];
      if (step !== undefined) {
        event.preventDefault();
        const next = Math.min(rows.length - 1, Math.max(0, index + step));
        const row = rows[next];
        if (row === undefined) return;
        onActive(rowKey(row));
        scrollTo(next);
        focusRow(element, rowKey(row));
      } else if (event.key === 'Enter') {
        const row = rows[index];
        if (row !== undefined) onOpen?.(row);
      }
    };
    const onFocus = (event: FocusEvent): void => {
      const key = rowOf(event.target)?.dataset.key;
      if (key !== undefined && key !== active) onActive(key);
    };
    element.addEventListener('keydown', onKeyDown);
    element.addEventListener('focusin', onFocus);
    return () => {
      element.removeEventListener('keydown', onKeyDown);
      element.removeEventListener('focusin', onFocus);
    };
  });
}

/**
 * A list of any length of which only what is in view is on the page; it scrolls with the window.
 * The row that has the focus stays on the page however far it is scrolled away.
 */
export function VirtualRows<Row>(props: VirtualRowsProps<Row>): ReactNode {
  const { rows, rowKey, active, total, onEnd } = props;
  const list = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const activeIndex = active === null ? -1 : rows.findIndex((row) => rowKey(row) === active);
  const { items, height, margin, lastInView, measure, scrollTo } = useWindowRows({
    count: rows.length,
    rowHeight: props.rowHeight,
    keyOf: (index) => {
      const row = rows[index];
      return row === undefined ? String(index) : rowKey(row);
    },
    kept: activeIndex,
    body,
  });
  useRowKeys(list, scrollTo, props);
  const nearEnd = lastInView >= 0 && lastInView >= rows.length - END_WITHIN;
  useEffect(() => {
    if (nearEnd) onEnd?.();
  }, [nearEnd, rows.length, onEnd]);
  const headRows = props.head === undefined ? 0 : 1;
  return (
    <table
      ref={list}
      className={cx('rows', props.className)}
      {...GRID}
      aria-label={props.label}
      aria-rowcount={total === null || total === undefined ? -1 : total + headRows}
    >
      {props.head !== undefined && (
        <thead>
          <tr className="rows-head" aria-rowindex={1}>
            {props.head}
          </tr>
          {props.notice}
        </thead>
      )}
      <tbody ref={body} className="rows-body" style={{ height }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const key = rowKey(row);
          const selected = props.selected?.(row);
          return (
            <tr
              key={key}
              ref={measure}
              data-index={item.index}
              data-key={key}
              className={cx('row', selected === true && 'is-selected', props.rowClass?.(row))}
              aria-rowindex={item.index + 1 + headRows}
              aria-selected={selected}
              tabIndex={key === active || (activeIndex < 0 && item.index === 0) ? 0 : -1}
              style={{ transform: `translateY(${item.start - margin}px)` }}
            >
              {props.children(row, item.index)}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
