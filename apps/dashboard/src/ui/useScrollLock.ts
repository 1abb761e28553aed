import { useEffect } from 'react';

/** How many dialogs hold the page still: the last one that closes lets go. */
let holders = 0;

/**
 * Keeps the page behind a dialog where it is. The width of the scroll bar that goes away is kept free, so that nothing moves.
 * Radix would do this with an inline style sheet, which the content security policy forbids.
 */
export function useScrollLock(): void {
  useEffect(() => {
    const root = document.documentElement;
    holders += 1;
    if (holders === 1) {
      const bar = window.innerWidth - root.clientWidth;
      root.style.overflow = 'hidden';
      if (bar > 0) root.style.paddingRight = `${bar}px`;
    }
    return () => {
      holders -= 1;
      if (holders > 0) return;
      root.style.removeProperty('overflow');
      root.style.removeProperty('padding-right');
    };
  }, []);
}
