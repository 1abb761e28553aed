import { HISTORY_RANGES, type HistoryPoint, type HistoryRange, type Worker } from '@galley/contract';
import { useEffect } from 'react';
import { type ApiError, getQueueHistory, listDeadLetters, listWorkers, useResource } from '../../api/index.ts';
import { useSearchParams } from '../../routing/index.ts';
import { useStore } from '../../store/index.ts';

const HISTORY_EVERY_MS = 20_000;
const WORKERS_EVERY_MS = 2_000;
const DEAD_EVERY_MS = 60_000;
const DEFAULT_RANGE: HistoryRange = '1h';

export const RANGES = ['15m', '1h', '6h', '24h'] as const satisfies HistoryRange[];

function isRange(value: string | null): value is HistoryRange {
  return value !== null && Object.hasOwn(HISTORY_RANGES, value);
}

/** The range of the charts, kept in the address. */
export function useRange(): [HistoryRange, (range: HistoryRange) => void] {
  const [search, setSearch] = useSearchParams();
  const named = search.get('range');
  const choose = (range: HistoryRange): void => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (range === DEFAULT_RANGE) next.delete('range');
        else next.set('range', range);
        return next;
      },
      { replace: true },
    );
  };
  return [isRange(named) ? named : DEFAULT_RANGE, choose];
}

export interface KnownHistory {
  readonly points: readonly HistoryPoint[];
  readonly known: boolean;
  readonly error: ApiError | undefined;
}

const NO_POINTS: readonly HistoryPoint[] = [];

/** The minutes of the range; read anew when the stream is back, because the server kept on counting. */
export function useHistory(queue: string, range: HistoryRange): KnownHistory {
  const { data, error, reload } = useResource(
    `history ${queue} ${range}`,
    (signal) => getQueueHistory(queue, range, signal),
    HISTORY_EVERY_MS,
  );
  const lost = useStore((state) => state.connection.freshness === 'lost');
  useEffect(() => {
    if (!lost) reload();
  }, [lost, reload]);
  return { points: data?.points ?? NO_POINTS, known: data !== undefined, error };
}

/** The workers that serve the queue; undefined until they are known. */
export function useQueueWorkers(queue: string): readonly Worker[] | undefined {
  const { data } = useResource('workers', listWorkers, WORKERS_EVERY_MS);
  return data?.workers.filter((worker) => worker.queues.includes(queue));
}

/** Dead letters of the last hour; null until they are known. */
export function useDeadLastHour(queue: string): number | null {
  const { data } = useResource(`dead last hour ${queue}`, (signal) => listDeadLetters({ queue, limit: 1 }, signal), DEAD_EVERY_MS);
  return data === undefined ? null : Object.values(data.by_code).reduce((sum, code) => sum + (code.per_hour.at(-1) ?? 0), 0);
}
