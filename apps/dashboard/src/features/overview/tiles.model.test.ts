import type { QueueSnapshot } from '@galley/contract';
import { describe, expect, it } from 'vitest';
import { common, formatsOf } from '../../i18n/index.ts';
import { countsWith, pointAt, snapshotWith } from '../../testing/snapshots.ts';
import { overview } from './messages.ts';
import { clearsInMs, type TileModel, tilesOf } from './tiles.model.ts';

const now = Date.parse('2026-11-30T14:31:54.000Z');

function tiles(
  change: Partial<QueueSnapshot>,
  language: 'en' | 'zh' = 'en',
  deadLastHour: number | null = null,
): Record<string, TileModel> {
  const all = tilesOf({
    snapshot: snapshotWith(change),
    history: [pointAt(0, { counts: countsWith({ pending: 5 }) })],
    deadLastHour,
    now,
    words: overview[language].tile,
    stateWords: common[language].state,
    formats: formatsOf(language),
  });
  return Object.fromEntries(all.map((tile) => [tile.id, tile]));
}

const busy: Partial<QueueSnapshot> = {
  counts: countsWith({ pending: 18_462, processing: 30, retrying: 14, scheduled: 120, waiting: 46, dead_letter: 37 }),
  rates: { completed_per_minute: 412, failed_per_minute: 3, submitted_per_minute: 388 },
  wait_ms: { p50: 9_400, p95: 400_000, p99: null },
  pages: { pending: 1_904, per_minute: 1_286 },
  workers: { count: 4, slots: 32, busy: 30 },
  next_retry_at: new Date(now + 2_000).toISOString(),
};

describe('tiles', () => {
  it('leads with pending and holds twelve', () => {
    expect(Object.keys(tiles(busy))).toEqual(
      'pending processing retrying scheduled waiting dead_letter done failed wait run slots pages'.split(' '),
    );
  });

  it('says what each figure means', () => {
    const shown = tiles(busy, 'en', 3);
    expect(shown.pending).toMatchObject({ value: '18,462', line: 'clears in about 45 min', zero: false });
    expect(shown.retrying?.line).toBe('next in 2 s');
    expect(shown.scheduled?.line).toBe('waiting for their time');
    expect(shown.waiting?.line).toBe('1,904 pages to come');
    expect(shown.dead_letter).toMatchObject({ label: 'Dead letters', line: '+3 in the last hour', alarm: true });
    expect(shown.failed?.line).toBe('0.7% of runs');
    expect(shown.wait).toMatchObject({ value: '9.4', unit: 's', line: 'p95 6 min 40 s' });
    expect(shown.slots).toMatchObject({ value: '30', unit: '/ 32', line: '4 workers' });
    expect(shown.pages).toMatchObject({ value: '1,286', line: '3.1 pages a document' });
  });

  it('says it in Chinese', () => {
    expect(tiles(busy, 'zh', 3).pending).toMatchObject({ label: '待处理', line: '约 45 分钟后清空' });
    expect(tiles(busy, 'zh', 3).dead_letter?.line).toBe('近 1 小时 +3');
  });

  it('is quiet at zero and honest about what was not measured', () => {
    const shown = tiles({});
    expect(shown.pending).toMatchObject({ value: '0', zero: true, alarm: false, line: undefined });
    expect(shown.run).toMatchObject({ value: null, line: undefined });
    expect(shown.pages?.line).toBeUndefined();
  });

  it('cuts a figure of eight digits short and keeps it whole for the tooltip', () => {
    expect(tiles({ counts: countsWith({ pending: 12_431_000 }) }).pending).toMatchObject({ value: '12.4M', full: '12,431,000' });
  });

  it('ends a trend with the figure itself', () => {
    expect(tiles(busy).pending?.trend).toEqual([5, 18_462]);
  });
});

describe('clearsInMs', () => {
  it('foretells nothing under ten tasks, when nothing is done, or when the queue is paused', () => {
    const done = { completed_per_minute: 60, failed_per_minute: 0, submitted_per_minute: 0 };
    expect(clearsInMs(snapshotWith({ counts: countsWith({ pending: 30 }), rates: done }))).toBe(30_000);
    expect(clearsInMs(snapshotWith({ counts: countsWith({ pending: 9 }), rates: done }))).toBeNull();
    expect(clearsInMs(snapshotWith({ counts: countsWith({ pending: 30 }) }))).toBeNull();
    expect(clearsInMs(snapshotWith({ counts: countsWith({ pending: 30 }), rates: done, paused: true }))).toBeNull();
  });
});
