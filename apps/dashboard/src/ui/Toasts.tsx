import { Check, CircleAlert, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { common, useMessages } from '../i18n/index.ts';
import { IconButton } from './Button.tsx';
import './toast.css';
import { closeToast, type Toast, toasts } from './toasts.ts';

const LEAVES_AFTER_MS = 6_000;

const HOLDS = ['pointerenter', 'focusin'] as const;
const LETS_GO = ['pointerleave', 'focusout'] as const;

/** Whether the pointer or the focus is on an element: what is being read does not leave. */
function useHeld(element: HTMLElement | null): boolean {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (element === null) return;
    const hold = (): void => setHeld(true);
    const letGo = (): void => setHeld(false);
    for (const name of HOLDS) element.addEventListener(name, hold);
    for (const name of LETS_GO) element.addEventListener(name, letGo);
    return () => {
      for (const name of HOLDS) element.removeEventListener(name, hold);
      for (const name of LETS_GO) element.removeEventListener(name, letGo);
    };
  }, [element]);
  return held;
}

function ToastCard({ toast }: { toast: Toast }): ReactNode {
  const messages = useMessages(common);
  const [card, setCard] = useState<HTMLElement | null>(null);
  const held = useHeld(card);
  useEffect(() => {
    if (held || toast.kind === 'failed') return;
    const timer = window.setTimeout(() => closeToast(toast.id), LEAVES_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [held, toast]);
  const { action } = toast;
  return (
    <li ref={setCard} className={`toast toast--${toast.kind}`}>
      {toast.kind === 'done' ? (
        <Check size={16} strokeWidth={2.25} aria-hidden="true" />
      ) : (
        <CircleAlert size={16} strokeWidth={1.75} aria-hidden="true" />
      )}
      <span className="toast-sentence type-control">{toast.sentence}</span>
      {action !== undefined && (
        <button
          type="button"
          className="link type-control"
          onClick={() => {
            action.run();
            closeToast(toast.id);
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton size="small" label={messages.close} icon={<X />} onClick={() => closeToast(toast.id)} />
    </li>
  );
}

/** Where toasts stand: bottom right, on a phone at the top. On the page once. */
export function Toasts({ label }: { label: string }): ReactNode {
  const shown = useStore(toasts, (state) => state.shown);
  return (
    <section aria-label={label} className="toasts-place">
      <ol className="toasts">
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  );
}
