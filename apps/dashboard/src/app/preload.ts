/** Fetches the chunks of menus and dialogs once the page has nothing better to do, so that the first press opens at once. */
export function preloadOverlays(): void {
  const load = (): void => {
    // What cannot be had now is fetched when it is needed, and says so then.
    import('./MenuFrame.tsx').catch(() => undefined);
    import('./DialogFrame.tsx').catch(() => undefined);
  };
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in window) window.requestIdleCallback(load, { timeout: 4_000 });
  else setTimeout(load, 2_000);
}
