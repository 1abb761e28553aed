import { describe, expect, it } from 'vitest';
import { shortId, shownName, splitName, titleName } from './middleCut.ts';

describe('names', () => {
  it('keeps the last 12 characters of a file name', () => {
    expect(splitName('ledger-1987-vol-04-plate-112.tif')).toEqual({ head: 'ledger-1987-vol-04-p', tail: 'late-112.tif' });
    expect(splitName('a.pdf')).toEqual({ head: '', tail: 'a.pdf' });
  });
  it('never cuts through what is seen as one character', () => {
    const flags = '\u{1F1E8}\u{1F1F3}'.repeat(13);
    expect(splitName(flags)).toEqual({ head: '\u{1F1E8}\u{1F1F3}', tail: '\u{1F1E8}\u{1F1F3}'.repeat(12) });
  });
  it('leaves a name that is read from right to left in one piece, and cuts a long one itself', () => {
    const short = '\u05e9\u05dc\u05d5\u05dd-\u05e2\u05d5\u05dc\u05dd-2026.pdf';
    expect(splitName(short)).toEqual({ head: '', tail: short });
    const { head, tail } = splitName(`${'\u05e9'.repeat(60)}-report.pdf`);
    expect(head).toBe('');
    expect(tail).toBe(`${'\u05e9'.repeat(23)}…\u05e9-report.pdf`);
  });
  it('takes out marks that turn the order of a name round', () => {
    expect(shownName('invoice\u202efdp.exe')).toBe('invoicefdp.exe');
  });
  it('shortens an id to its first 12 and last 6', () => {
    expect(shortId('ocr-02-00000009g0c4-a1t8zd')).toBe('ocr-02-00000…a1t8zd');
    expect(shortId('short')).toBe('short');
  });
});

it('cuts a title in the middle only where it would fill a page', () => {
  expect(titleName('delivery-note-0417.pdf')).toBe('delivery-note-0417.pdf');
  const cut = titleName(`${'a'.repeat(250)}-the-end-of-it.pdf`);
  expect(cut).toMatch(/^a{71}…a+-the-end-of-it\.pdf$/);
  expect(cut).toHaveLength(96);
});
