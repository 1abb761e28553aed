export { useAdminBlocked, useIsAdmin } from './access.ts';
export { serverNow, useServerNow } from './clock.ts';
export type { Freshness } from './freshness.ts';
export { NO_SELECTION, type Selection } from './selectionState.ts';
export { DEFAULT_QUEUE, type State, type TrackedOperation } from './slices.ts';
export { useStore } from './store.ts';
export { useWatchedTask, wire } from './wire.ts';
