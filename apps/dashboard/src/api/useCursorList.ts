import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, asApiError, isAbort, isPassing, PASSING_RETRY_MS } from './error.ts';

export interface CursorPage<T> {
  readonly rows: readonly T[];
  readonly next: string | null;
  /** Rows that there are; null where the server does not count them. */
  readonly total: number | null;
}

export interface CursorList<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
  /** Whether the server has more rows after these. */
  readonly hasMore: boolean;
  /** Nothing has come yet. */
  readonly loading: boolean;
  readonly error: ApiError | undefined;
  /** Loads the rows that follow; nothing while some are on their way. */
  readonly more: () => void;
  /** Begins anew; the rows stay until the first new ones have come. */
  readonly reload: () => void;
}

interface Loaded<T> {
  readonly key: string;
  readonly rows: readonly T[];
  readonly next: string | null;
  readonly total: number | null;
  readonly error?: ApiError;
}

const NONE: Loaded<never> = { key: '', rows: [], next: null, total: null };

function appended<T>(rows: readonly T[], more: readonly T[], idOf: (row: T) => string): readonly T[] {
  // A row may have moved behind the cursor since it was first listed.
  const known = new Set(rows.map(idOf));
  return [...rows, ...more.filter((row) => !known.has(idOf(row)))];
}

/** A long list, read page by page. `key` names what is listed: a new key begins anew, null lists nothing. */
export function useCursorList<T>(
  key: string | null,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage<T>>,
  idOf: (row: T) => string,
): CursorList<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(NONE);
  const [turn, setTurn] = useState(0);
  const latest = useRef({ load, idOf });
  const busy = useRef<AbortController | null>(null);
  useEffect(() => {
    latest.current = { load, idOf };
  });

  const read = useCallback(async (wanted: string, cursor: string | undefined): Promise<void> => {
    const controller = new AbortController();
    busy.current?.abort();
    busy.current = controller;
    try {
      const page = await latest.current.load(cursor, controller.signal);
      if (controller.signal.aborted) return;
      setLoaded((before) => ({
        key: wanted,
        rows: cursor === undefined || before.key !== wanted ? page.rows : appended(before.rows, page.rows, latest.current.idOf),
        next: page.next,
        total: page.total,
      }));
    } catch (error) {
      if (isAbort(error) || controller.signal.aborted) return;
      setLoaded((before) => ({ ...(before.key === wanted ? before : NONE), key: wanted, error: asApiError(error) }));
    } finally {
      if (busy.current === controller) busy.current = null;
    }
  }, []);

  useEffect(() => {
    if (key === null) return;
    void read(key, undefined);
    return () => busy.current?.abort();
  }, [key, turn, read]);

  const { next } = loaded;
  const more = useCallback(() => {
    if (key !== null && next !== null && busy.current === null) void read(key, next);
  }, [key, next, read]);
  const reload = useCallback(() => setTurn((value) => value + 1), []);
  const current = loaded.key === key ? loaded : NONE;
  const failure = current.error;
  useEffect(() => {
    if (!isPassing(failure)) return;
    const timer = window.setTimeout(reload, PASSING_RETRY_MS);
    return () => window.clearTimeout(timer);
  }, [failure, reload]);
  return {
    rows: current.rows,
    total: current.total,
    hasMore: current.next !== null,
    loading: key !== null && loaded.key !== key,
    error: current.error,
    more,
    reload,
  };
}
