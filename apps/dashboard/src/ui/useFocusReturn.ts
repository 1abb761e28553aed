import { useState } from 'react';

function isLost(element: Element | null): boolean {
  return element === null || element === document.body || !element.isConnected;
}

/**
 * For `onCloseAutoFocus` of a dialog that no trigger of Radix opened: gives the focus back to what had it when the dialog was first
 * drawn. A place that was chosen meanwhile keeps it, and where the opener is gone the title of the page gets it.
 */
export function useFocusReturn(): (event: Event) => void {
  // While drawing: once the dialog is in the page, a field of it may have the focus already.
  const [opener] = useState(() => document.activeElement);
  return (event) => {
    // Else Radix looks for its own trigger, and the focus stays nowhere.
    event.preventDefault();
    if (!isLost(document.activeElement) || opener === document.body) return;
    const place = isLost(opener) ? document.querySelector('h1') : opener;
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  };
}
