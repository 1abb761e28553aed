import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  type Range,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useReducer, useState } from 'react';

export interface WindowRowsOptions {
  readonly count: number;
  /** px of a row before it is measured. */
  readonly rowHeight: number;
  readonly keyOf: (index: number) => string;
  /** A row that stays on the page however far it is scrolled away, or -1. */
  readonly kept: number;
  /** The element that holds the rows. */
  readonly body: RefObject<HTMLElement | null>;
}

export interface WindowRows {
  readonly items: readonly VirtualItem[];
  /** px of all rows. */
  readonly height: number;
  /** px from the top of the document to the first row; a row's `start` counts from there. */
  readonly margin: number;
  /** The last row in view, or -1. */
  readonly lastInView: number;
  readonly measure: (row: HTMLElement | null) => void;
  readonly scrollTo: (index: number) => void;
}

/** px from the top of the document to the element; follows whatever grows or shrinks above it. */
function useDocumentTop(body: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useEffect(() => {
    const measure = (): void => {
      if (body.current !== null) setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    for (let above = body.current?.parentElement; above !== null && above !== undefined; above = above.parentElement) {
      for (const sibling of above.children) observer.observe(sibling);
    }
    return () => observer.disconnect();
  }, [body]);
  return top;
}

const OVERSCAN = 8;

/** Which rows of a list that scrolls with the window have to be on the page. */
export function useWindowRows({ count, rowHeight, keyOf, kept, body }: WindowRowsOptions): WindowRows {
  const margin = useDocumentTop(body);
  const [, render] = useReducer((turn: number) => turn + 1, 0);
  const options: VirtualizerOptions<Window, HTMLElement> = {
    count,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: margin,
    getItemKey: keyOf,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      return kept < 0 || kept >= count || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b);
    },
    onChange: render,
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    margin,
    lastInView: virtualizer.range?.endIndex ?? -1,
    measure: virtualizer.measureElement,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}
