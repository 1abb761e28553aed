import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import './tooltip.css';

const OPEN_AFTER_MS = 350;
const GAP = 6;
const EDGE = 8;

type Anchor = ReactElement<HTMLAttributes<HTMLElement>>;

function place(bubble: HTMLElement, anchor: DOMRect): void {
  const { width, height } = bubble.getBoundingClientRect();
  const left = Math.min(Math.max(EDGE, anchor.left + anchor.width / 2 - width / 2), window.innerWidth - width - EDGE);
  const below = anchor.bottom + GAP;
  const top = below + height > window.innerHeight - EDGE ? anchor.top - height - GAP : below;
  bubble.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function Bubble({ id, text, anchor }: { id: string; text: ReactNode; anchor: HTMLElement }): ReactNode {
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (bubble.current !== null) place(bubble.current, anchor.getBoundingClientRect());
  }, [anchor, text]);
  return createPortal(
    <div ref={bubble} id={id} role="tooltip" className="tooltip">
      {text}
    </div>,
    // A modal dialog hides everything outside itself, so a tooltip of its buttons has to open inside it.
    anchor.closest('[role=dialog]') ?? document.body,
  );
}

/**
 * A hint beside an element, on hover and on focus, closed by Esc. Never the only place of a fact.
 * The child must be one element that passes event handlers and `aria-describedby` on.
 */
export function Tooltip({ text, children }: { text: ReactNode; children: Anchor }): ReactNode {
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const close = (): void => {
    window.clearTimeout(timer.current);
    setAnchor(null);
  };
  // In the layout phase: an Escape pressed as soon as the hint shows must find its listener.
  useLayoutEffect(() => {
    if (anchor === null) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setAnchor(null);
    };
    window.addEventListener('keydown', onKey, true);
    window.addEventListener('scroll', close, true);
    return () => {
      window.removeEventListener('keydown', onKey, true);
      window.removeEventListener('scroll', close, true);
    };
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const own = children.props;
  const child = cloneElement(children, {
    'aria-describedby': anchor === null ? own['aria-describedby'] : id,
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      if (event.pointerType === 'touch') return;
      const target = event.currentTarget;
      timer.current = window.setTimeout(() => setAnchor(target), OPEN_AFTER_MS);
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      close();
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      close();
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      if (event.currentTarget.matches(':focus-visible')) setAnchor(event.currentTarget);
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      close();
    },
  });
  return (
    <>
      {child}
      {anchor !== null && <Bubble id={id} text={text} anchor={anchor} />}
    </>
  );
}
