import { createStore } from 'zustand';

export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly sentence: string;
  /** One link at its right end. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

export const TOASTS_SHOWN = 3;

/** The toasts on the page, newest last. */
export const toasts = createStore<{ readonly shown: readonly Toast[]; readonly next: number }>(() => ({ shown: [], next: 1 }));

/** Shows a sentence for a while; a failure stays until closed. For ends of operations, never for routine events. */
export function showToast(toast: Omit<Toast, 'id'>): number {
  const id = toasts.getState().next;
  toasts.setState(({ shown }) => ({ shown: [...shown, { ...toast, id }].slice(-TOASTS_SHOWN), next: id + 1 }));
  return id;
}

export function closeToast(id: number): void {
  toasts.setState(({ shown }) => ({ shown: shown.filter((toast) => toast.id !== id) }));
}

/** Hears of each new toast, so that the page's one live region can speak it. Returns the undoing. */
export function onToast(listener: (toast: Toast) => void): () => void {
  return toasts.subscribe((now, before) => {
    for (const toast of now.shown) if (!before.shown.includes(toast)) listener(toast);
  });
}
