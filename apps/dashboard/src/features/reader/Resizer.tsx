import { type ReactNode, useEffect, useRef } from 'react';
import { useStore } from '../../store/index.ts';

const LEAST = 360;
const MOST = 720;
const STEP = 20;

const clamp = (width: number): number => Math.round(Math.min(MOST, Math.max(LEAST, width)));

/** The edge between picture and text: drag it, or move it by arrows; this browser remembers where it stood. */
export function Resizer({ label }: { label: string }): ReactNode {
  const width = useStore((state) => state.preferences.readerTextWidth);
  const preferred = useStore((state) => state.preferred);
  const handle = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const element = handle.current;
    if (element === null) return;
    let from: { x: number; width: number } | null = null;
    const down = (event: PointerEvent): void => {
      from = { x: event.clientX, width: useStore.getState().preferences.readerTextWidth };
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    };
    const move = (event: PointerEvent): void => {
      if (from !== null) preferred({ readerTextWidth: clamp(from.width - (event.clientX - from.x)) });
    };
    const up = (): void => {
      from = null;
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
    };
  }, [preferred]);
  return (
    <input
      ref={handle}
      type="range"
      className="reader-resizer"
      aria-label={label}
      min={LEAST}
      max={MOST}
      step={STEP}
      value={width}
      onChange={(event) => preferred({ readerTextWidth: clamp(Number(event.target.value)) })}
    />
  );
}
