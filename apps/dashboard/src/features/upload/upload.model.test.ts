import { describe, expect, it } from 'vitest';
import { bytesOf, commonFolder, countsOf, keptOrder, orderOf, speedOf, tabCount, type Upload, type UploadState } from './upload.model.ts';

const upload = (id: number, state: UploadState, change: Partial<Upload> = {}): Upload => ({
  id,
  folder: 'box/',
  name: `plate-${id}.tif`,
  size: 100,
  state,
  share: 0,
  answeredAs: 0,
  ...change,
});

const all = [
  upload(0, 'accepted', { answeredAs: 1 }),
  upload(1, 'queued'),
  upload(2, 'accepted', { answeredAs: 4 }),
  upload(3, 'duplicate', { answeredAs: 2 }),
  upload(4, 'uploading', { share: 0.5 }),
  upload(5, 'refused', { answeredAs: 3 }),
];

describe('orderOf', () => {
  it('puts what is on its way first, then what needs a look, then accepted newest first, then the rest', () => {
    expect(orderOf(all, 'all')).toEqual([4, 5, 3, 2, 0, 1]);
    expect(orderOf(all, 'look')).toEqual([5, 3]);
    expect(orderOf(all, 'accepted')).toEqual([2, 0]);
  });
  it('keeps rows under the pointer where they are', () => {
    expect(keptOrder([4, 5, 3], [1, 3, 5, 4])).toEqual([4, 5, 3, 1]);
    expect(keptOrder([4, 5, 3], [3, 5])).toEqual([5, 3]);
  });
});

describe('counts and bytes', () => {
  it('counts each state and each tab', () => {
    const counts = countsOf(all);
    expect(counts).toMatchObject({ accepted: 2, queued: 1, duplicate: 1, uploading: 1, refused: 1, failed: 0 });
    expect([tabCount(counts, 'all'), tabCount(counts, 'look'), tabCount(counts, 'uploading')]).toEqual([6, 2, 1]);
  });
  it('leaves what is answered out of the bytes to go', () => {
    expect(bytesOf(all)).toEqual({ total: 600, left: 150 });
  });
  it('names the folder only where there is one', () => {
    expect(commonFolder(all)).toBe('box');
    expect(commonFolder([...all, upload(6, 'queued', { folder: '' })])).toBeNull();
  });
});

describe('speedOf', () => {
  it('needs a second before it says a speed', () => {
    expect(speedOf([{ at: 0, bytes: 0 }])).toBeNull();
    expect(
      speedOf([
        { at: 0, bytes: 0 },
        { at: 2_000, bytes: 4_000_000 },
      ]),
    ).toBe(2_000_000);
  });
});
