import type { LiveTask } from '@galley/contract';
import { useEffect } from 'react';
import { createLiveWire, type LiveEvent, type LiveWire } from '../api/live.ts';
import { useStore } from './store.ts';

const CHECK_EVERY_MS = 500;
/** Events within that time are one change of the page: a line that moves on is told task by task. */
const TOGETHER_MS = 16;

interface Told {
  readonly event: LiveEvent;
  /** When it came, by this browser's clock. */
  readonly at: number;
}

let told: Told[] = [];

function receiveAll(): void {
  const events = told;
  told = [];
  // In one turn: React draws once for all of them.
  for (const { event, at } of events) useStore.getState().received(event, at);
}

/** The page's one wire; whatever comes over it goes into the store and nowhere else. */
export const wire: LiveWire = createLiveWire({
  onEvent: (event) => {
    if (told.length === 0) window.setTimeout(receiveAll, TOGETHER_MS);
    told.push({ event, at: Date.now() });
  },
  onStatus: (status) => useStore.getState().wireChanged(status),
  // Shown where the browser shows errors; the page itself goes on without the event.
  onUnexpected: (name, detail) => reportError(new Error(`the event ${name} was left out: ${detail}`)),
});

/** Opens the wire and keeps an eye on its silence. Returns the undoing. */
export function startWire(): () => void {
  wire.start();
  const timer = window.setInterval(() => {
    const before = useStore.getState().connection.freshness;
    useStore.getState().freshnessChecked(Date.now());
    const { freshness, wire: status } = useStore.getState().connection;
    // Connected and silent: the connection is dead and does not know it.
    if (freshness === 'lost' && before !== 'lost' && status.kind === 'connected') wire.retryNow();
  }, CHECK_EVERY_MS);
  return () => {
    window.clearInterval(timer);
    wire.stop();
  };
}

/** A task as it changes, from the moment the component is on the page; undefined until the server has told. */
export function useWatchedTask(taskId: string | null): LiveTask | undefined {
  useEffect(() => {
    if (taskId === null) return;
    const unwatch = wire.watch(taskId);
    return () => {
      unwatch();
      useStore.getState().taskForgotten(taskId);
    };
  }, [taskId]);
  return useStore((state) => (taskId === null ? undefined : state.live.tasks[taskId]));
}
