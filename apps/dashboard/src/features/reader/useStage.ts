import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { hover, setView } from './view.ts';
import { keptScroll, type Size, wheeled } from './zoom.model.ts';

/** The size of an element, again whenever it changes; null until it is on the page. */
export function useSize(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

interface Anchor {
  readonly x: number;
  readonly y: number;
}

/** Ctrl with the wheel, or a pinch on a pad, zooms about the pointer; zooming by button keeps the middle. */
export function useZooming(stage: RefObject<HTMLElement | null>, scale: number): void {
  const anchor = useRef<Anchor | null>(null);
  const before = useRef(scale);
  useEffect(() => {
    const element = stage.current;
    if (element === null) return;
    // Not through React: its wheel listeners cannot keep the browser from zooming the whole page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      anchor.current = { x: event.clientX - left, y: event.clientY - top };
      setView({ zoom: wheeled(scale, event.deltaY) });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [stage, scale]);
  useLayoutEffect(() => {
    const element = stage.current;
    if (element === null || before.current === scale) return;
    const { x, y } = anchor.current ?? { x: element.clientWidth / 2, y: element.clientHeight / 2 };
    element.scrollTo(keptScroll(element.scrollLeft, x, before.current, scale), keptScroll(element.scrollTop, y, before.current, scale));
    before.current = scale;
    anchor.current = null;
  }, [stage, scale]);
}

const DRAG_FROM_PX = 4;

/** The mouse drags the page about; a finger scrolls it by itself. What moved does not count as a click. */
export function usePanning(stage: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = stage.current;
    if (element === null) return;
    let from: { x: number; y: number; left: number; top: number } | null = null;
    let dragged = false;
    const down = (event: PointerEvent): void => {
      if (event.pointerType !== 'mouse' || event.button > 1) return;
      from = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
      dragged = false;
    };
    const move = (event: PointerEvent): void => {
      if (from === null) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!dragged && Math.hypot(dx, dy) < DRAG_FROM_PX) return;
      if (!dragged) {
        element.setPointerCapture(event.pointerId);
        element.classList.add('is-dragged');
        hover(null);
      }
      dragged = true;
      element.scrollTo(from.left - dx, from.top - dy);
    };
    const up = (): void => {
      from = null;
      element.classList.remove('is-dragged');
    };
    const click = (event: MouseEvent): void => {
      if (dragged) event.stopPropagation();
      dragged = false;
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    element.addEventListener('click', click, true);
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
      element.removeEventListener('click', click, true);
    };
  }, [stage]);
}
