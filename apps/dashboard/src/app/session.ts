import { useEffect } from 'react';
import { ApiError, getSession, onRefusal } from '../api/index.ts';
import { useStore } from '../store/index.ts';

const AGAIN_AFTER_MS = 3_000;

/** Reads who this browser is, and hears when the server no longer knows it. */
export function useSession(): void {
  useEffect(() => {
    const controller = new AbortController();
    let timer: number | undefined;
    const read = async (): Promise<void> => {
      try {
        useStore.getState().sessionRead(await getSession(controller.signal));
      } catch (error) {
        if (controller.signal.aborted) return;
        const refused = error instanceof ApiError && error.code === 'unauthorized';
        useStore.getState().sessionEnded(refused ? 'signedOut' : 'unreachable');
        if (!refused) timer = window.setTimeout(() => void read(), AGAIN_AFTER_MS);
      }
    };
    void read();
    const unwatch = onRefusal(({ code }) => {
      if (code === 'unauthorized') useStore.getState().sessionEnded('signedOut');
      if (code === 'redis_unavailable') useStore.getState().redisRefused();
    });
    return () => {
      controller.abort();
      window.clearTimeout(timer);
      unwatch();
    };
  }, []);
}
