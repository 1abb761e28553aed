import { describe, expect, it } from 'vitest';
import { shortId, splitName } from './middleCut.ts';

describe('names', () => {
  it('keeps the last 12 characters of a file name', () => {
    expect(splitName('ledger-1987-vol-04-plate-112.tif')).toEqual({ head: 'ledger-1987-vol-04-p', tail: 'late-112.tif' });
    expect(splitName('a.pdf')).toEqual({ head: '', tail: 'a.pdf' });
  });
  it('shortens an id to its first 12 and last 6', () => {
    expect(shortId('ocr-02-00000009g0c4-a1t8zd')).toBe('ocr-02-00000…a1t8zd');
    expect(shortId('short')).toBe('short');
  });
});
