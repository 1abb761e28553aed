import { useEffect } from 'react';
import { listQueues, useResource } from '../api/index.ts';
import { useStore } from '../store/index.ts';

const REFRESH_MS = 5_000;

/** Keeps the list of queues for the side bar. */
export function useQueues(): void {
  const known = useStore((state) => state.session.status !== 'unknown');
  const { data } = useResource(known ? 'queues' : null, listQueues, REFRESH_MS);
  useEffect(() => {
    if (data !== undefined) useStore.getState().queuesRead(data.queues);
  }, [data]);
}
