import { describe, expect, it } from 'vitest';
import { countsWith, pointAt, snapshotWith } from '../../../testing/snapshots.ts';
import { chartDataOf, columnsOf, gapsOf, isAlone, timeTicks } from './series.model.ts';

const start = Date.parse('2026-11-30T13:32:00.000Z');
const minute = 60_000;
const end = start + 60 * minute;
const snapshot = snapshotWith({ at: new Date(end - 400).toISOString(), pending_by_band: { urgent: 1, high: 0, normal: 2, bulk: 3 } });
const hour = Array.from({ length: 60 }, (_, index) => pointAt(index, { submitted: 4, completed: 3, failed: 1 }));

describe('chartDataOf', () => {
  it('ends its rows with now, at the end of the axis', () => {
    const data = chartDataOf({ points: hour, snapshot, range: '1h', end, lost: false });
    expect(data.rows.at(-1)).toMatchObject({ at: end, total: 6 });
    expect(data.rows).toHaveLength(61);
    expect(data.gaps).toEqual([]);
    expect(data.empty).toBe(false);
  });

  it('leaves a minute out of the columns that is not over', () => {
    const points = [...hour, pointAt(60, { completed: 1 })];
    const data = chartDataOf({ points, snapshot, range: '1h', end: end + 10_000, lost: false });
    expect(data.columns.at(-2)?.from).toBe(start + 59 * minute);
    expect(data.columns.at(-1)).toMatchObject({ from: start + 60 * minute, done: 0 });
  });

  it('has the quantiles of a minute that is not over from the last five, as those of now', () => {
    const points = [...hour, pointAt(60, { wait_ms: { p50: 1, p95: 2, p99: 3 } })];
    const now = { ...snapshot, wait_ms: { p50: 900, p95: 1_800, p99: 2_000 } };
    const data = chartDataOf({ points, snapshot: now, range: '1h', end: end + 10_000, lost: false });
    expect(data.rows.slice(-2).map(({ wait }) => wait.p50)).toEqual([900, 900]);
    expect(data.rows.at(-3)?.wait.p50).toBe(hour.at(-1)?.wait_ms.p50);
  });

  it('finds holes and never bridges them', () => {
    const holed = hour.filter((_, index) => index < 20 || index > 30);
    const data = chartDataOf({ points: holed, snapshot, range: '1h', end, lost: false });
    expect(data.gaps).toEqual([{ from: start + 19 * minute, to: start + 31 * minute }]);
    expect(data.rows).toHaveLength(50);
  });

  it('ends at the last snapshot where the stream is lost', () => {
    const data = chartDataOf({ points: hour, snapshot, range: '1h', end: end + 30_000, lost: true });
    expect(data.gaps).toEqual([{ from: end - 400, to: end + 30_000 }]);
  });

  it('is empty when nothing stood in line and nothing was done', () => {
    const quiet = hour.map((_, index) => pointAt(index));
    expect(chartDataOf({ points: quiet, snapshot: snapshotWith(), range: '1h', end, lost: false }).empty).toBe(true);
    expect(
      chartDataOf({ points: [pointAt(3, { counts: countsWith({}), failed: 1 })], snapshot: null, range: '1h', end, lost: false }).empty,
    ).toBe(false);
  });
});

describe('isAlone', () => {
  it('finds the value that no line would show', () => {
    const p50 = [1, null, 2, 3, null, 4];
    const rows = p50.map((value, index) => ({
      at: index,
      bands: { urgent: 0, high: 0, normal: 0, bulk: 0 },
      total: 0,
      wait: { p50: value, p95: null },
      run: { p50: null, p95: null },
    }));
    expect(rows.map((_, index) => isAlone(rows, index, (row) => row.wait.p50))).toEqual([true, false, false, false, false, true]);
  });
});

describe('columnsOf', () => {
  it('draws a column a minute up to an hour, and of more minutes beyond', () => {
    expect(columnsOf(hour, '1h')).toHaveLength(60);
    const wide = columnsOf(hour, '6h');
    expect(wide).toHaveLength(11);
    expect(wide[1]).toMatchObject({ done: 3, submitted: 4, failed: 1 });
  });
});

describe('gapsOf and ticks', () => {
  it('forgives history that comes a minute late', () => {
    const row = (at: number) => ({
      at,
      bands: { urgent: 0, high: 0, normal: 0, bulk: 0 },
      total: 0,
      wait: { p50: null, p95: null },
      run: { p50: null, p95: null },
    });
    expect(gapsOf([row(0), row(2 * minute), row(6 * minute)])).toEqual([{ from: 2 * minute, to: 6 * minute }]);
  });
  it('spreads ticks from end to end', () => {
    expect(timeTicks(0, 60, 3)).toEqual([0, 30, 60]);
  });
});
