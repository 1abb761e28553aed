import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, asApiError, isAbort, isPassing, PASSING_RETRY_MS } from './error.ts';

export interface Resource<T> {
  /** The last answer; kept while a newer one is on its way, dropped when the key changes. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

interface Answer<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: ApiError;
}

/**
 * Reads something from the server and keeps it.
 * `key` names what is read: a new key reads anew, null reads nothing. `refreshMs` reads again that long after each answer.
 */
export function useResource<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, refreshMs?: number): Resource<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ key: '' });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    let timer: number | undefined;
    const again = (afterMs: number): void => {
      if (!controller.signal.aborted) timer = window.setTimeout(() => void read(), afterMs);
    };
    const read = async (): Promise<void> => {
      let failure: ApiError | undefined;
      try {
        const data = await latest.current(controller.signal);
        if (!controller.signal.aborted) setAnswer({ key, data });
      } catch (error) {
        if (isAbort(error) || controller.signal.aborted) return;
        const told = asApiError(error);
        failure = told;
        setAnswer((before) => ({ ...(before.key === key ? before : {}), key, error: told }));
      }
      if (refreshMs !== undefined) again(refreshMs);
      else if (isPassing(failure)) again(PASSING_RETRY_MS);
    };
    void read();
    return () => {
      controller.abort();
      window.clearTimeout(timer);
    };
  }, [key, refreshMs, turn]);

  const reload = useCallback(() => setTurn((value) => value + 1), []);
  const current = answer.key === key ? answer : undefined;
  return { data: current?.data, error: current?.error, loading: key !== null && current === undefined, reload };
}
