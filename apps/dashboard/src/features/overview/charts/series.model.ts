import {
  HISTORY_RANGES,
  type HistoryPoint,
  type HistoryRange,
  PRIORITY_BANDS,
  type PriorityBand,
  type QueueSnapshot,
} from '@galley/contract';

const MINUTE = 60_000;

/** One moment of every chart. `at`: ms, the server's clock. */
export interface Row {
  readonly at: number;
  readonly bands: Readonly<Record<PriorityBand, number>>;
  readonly total: number;
  readonly wait: { readonly p50: number | null; readonly p95: number | null };
  readonly run: { readonly p50: number | null; readonly p95: number | null };
}

/** What was done in a while, per minute. */
export interface Column {
  /** The middle of the while. */
  readonly at: number;
  readonly from: number;
  readonly submitted: number;
  readonly done: number;
  readonly failed: number;
}

export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface ChartData {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly gaps: readonly Gap[];
  /** Nothing stood in line and nothing was done in the whole range. */
  readonly empty: boolean;
}

const total = (bands: Readonly<Record<PriorityBand, number>>): number => PRIORITY_BANDS.reduce((sum, band) => sum + bands[band], 0);

function rowOfPoint(point: HistoryPoint): Row {
  return {
    at: Date.parse(point.at),
    bands: point.pending_by_band,
    total: total(point.pending_by_band),
    wait: point.wait_ms,
    run: point.run_ms,
  };
}

function rowOfSnapshot(snapshot: QueueSnapshot, at: number): Row {
  return {
    at,
    bands: snapshot.pending_by_band,
    total: total(snapshot.pending_by_band),
    wait: snapshot.wait_ms,
    run: snapshot.run_ms,
  };
}

/** Columns of a day would be thinner than a pixel: at most 60, each of whole minutes, with the rate per minute of what was counted. */
const COLUMNS_AT_MOST = 60;

export function columnsOf(points: readonly HistoryPoint[], range: HistoryRange): readonly Column[] {
  const width = Math.ceil(HISTORY_RANGES[range] / COLUMNS_AT_MOST) * MINUTE;
  const groups = new Map<number, HistoryPoint[]>();
  for (const point of points) {
    const from = Math.floor(Date.parse(point.at) / width) * width;
    const group = groups.get(from);
    if (group === undefined) groups.set(from, [point]);
    else group.push(point);
  }
  return [...groups].map(([from, group]) => {
    const rate = (of: (point: HistoryPoint) => number): number => group.reduce((sum, point) => sum + of(point), 0) / group.length;
    return {
      from,
      at: from + width / 2,
      submitted: rate((point) => point.submitted),
      done: rate((point) => point.completed),
      failed: rate((point) => point.failed),
    };
  });
}

/** The minute under way, with the rates of the last sixty seconds; only where a column is a minute, for a wider one averages what is over. */
function liveColumn(snapshot: QueueSnapshot, range: HistoryRange, end: number): readonly Column[] {
  if (HISTORY_RANGES[range] > COLUMNS_AT_MOST) return [];
  const from = Math.floor((end - 1) / MINUTE) * MINUTE;
  const { submitted_per_minute: submitted, completed_per_minute: done, failed_per_minute: failed } = snapshot.rates;
  return [{ from, at: Math.min(end, from + MINUTE / 2), submitted, done, failed }];
}

/** Where a series has a value with none beside it: a line of one point is not drawn, so it needs a dot. */
export function isAlone(rows: readonly Row[], index: number, value: (row: Row) => number | null): boolean {
  const known = (row: Row | undefined): boolean => row !== undefined && value(row) !== null;
  return known(rows[index]) && !known(rows[index - 1]) && !known(rows[index + 1]);
}

/** History comes a minute late, so only a hole wider than that is one. */
const HOLE_MS = 2.5 * MINUTE;

/** Where nobody counted, between known moments. */
export function gapsOf(rows: readonly Row[]): readonly Gap[] {
  return rows.flatMap((row, index) => {
    const next = rows[index + 1];
    return next !== undefined && next.at - row.at > HOLE_MS ? [{ from: row.at, to: next.at }] : [];
  });
}

export interface ChartFacts {
  readonly points: readonly HistoryPoint[];
  readonly snapshot: QueueSnapshot | null;
  readonly range: HistoryRange;
  /** The right end of the axis, ms. */
  readonly end: number;
  /** The stream is lost: from the last snapshot on nothing is known. */
  readonly lost: boolean;
}

/** Everything that the charts draw, from the minutes of the server and the snapshot of now. Pure. */
export function chartDataOf({ points, snapshot, range, end, lost }: ChartFacts): ChartData {
  const from = end - HISTORY_RANGES[range] * MINUTE;
  // One minute before the left edge too, so that the series begin at it; the axis cuts them there.
  const inside = points.filter((point) => Date.parse(point.at) >= from - MINUTE);
  // While the stream lives the newest snapshot is now, so the series reach the end of the axis.
  const last = snapshot === null ? [] : [rowOfSnapshot(snapshot, lost ? Math.min(end, Date.parse(snapshot.at)) : end)];
  const rows = [...inside.map(rowOfPoint).filter((row) => row.at < (last[0]?.at ?? Number.POSITIVE_INFINITY)), ...last].map(
    // A minute that is not over has its quantiles from a few runs: what the snapshot says of the last five is meant by both.
    (row) => (snapshot !== null && row.at + MINUTE > (last[0]?.at ?? end) ? { ...row, wait: snapshot.wait_ms, run: snapshot.run_ms } : row),
  );
  const newest = rows.at(-1);
  const silence = lost && newest !== undefined && end > newest.at ? [{ from: newest.at, to: end }] : [];
  // A minute that is not over would look like a fall.
  const over = inside.filter((point) => Date.parse(point.at) + MINUTE <= (last[0]?.at ?? end));
  const columns = [...columnsOf(over, range), ...(lost || snapshot === null ? [] : liveColumn(snapshot, range, end))];
  const empty = rows.every((row) => row.total === 0) && columns.every((column) => column.submitted + column.done + column.failed === 0);
  return { from, to: end, rows, columns, gaps: [...gapsOf(rows), ...silence], empty };
}

/** Times for the x axis: the first, some between, and the last. */
export function timeTicks(from: number, to: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1));
}
