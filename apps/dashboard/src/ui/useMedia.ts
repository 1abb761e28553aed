import { useCallback, useSyncExternalStore } from 'react';

/** The widths at which the frame changes (design §3). */
export const RAIL = '(max-width: 1100px)';
export const PHONE = '(max-width: 720px)';

/** Whether a media query holds, and again when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
