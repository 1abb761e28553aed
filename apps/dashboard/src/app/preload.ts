/** What must be there before it is wanted: what the first press opens, and what tells of a server that can no longer be asked for it. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('./Banners.tsx'),
  () => import('./Palette.tsx'),
  () => import('../i18n/errors.ts'),
  () => import('../ui/MenuFrame.tsx'),
  () => import('../ui/DialogFrame.tsx'),
];

/** Fetches them once the page has nothing better to do. */
export function preloadParts(): void {
  const load = (): void => {
    // What cannot be had now is fetched when it is needed, and says so then.
    for (const part of PARTS) part().catch(() => undefined);
  };
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in window) window.requestIdleCallback(load, { timeout: 4_000 });
  else setTimeout(load, 2_000);
}
