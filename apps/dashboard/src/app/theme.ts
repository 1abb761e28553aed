import { useEffect } from 'react';
import { useStore } from '../store/index.ts';
import { useMedia } from '../ui/index.ts';

/** The theme that is drawn: the chosen one, or the system's. */
export function useDrawnTheme(): 'light' | 'dark' {
  const theme = useStore((state) => state.preferences.theme);
  const systemDark = useMedia('(prefers-color-scheme: dark)');
  if (theme !== 'system') return theme;
  return systemDark ? 'dark' : 'light';
}

export function useAppliedTheme(): void {
  const drawn = useDrawnTheme();
  useEffect(() => {
    document.documentElement.dataset.theme = drawn;
  }, [drawn]);
}
