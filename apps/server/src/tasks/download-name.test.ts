import { describe, expect, test } from 'vitest';
import { disposition, resultFileName } from './download-name.ts';

const named = (name: string | undefined, page: number | null = null): string =>
  resultFileName({ name, id: 'ocr-00-000000000000-aaaaaa', page, extension: 'txt' });

describe('the name of a result', () => {
  test('is the name of its document with another ending, and a page says which', () => {
    expect(named('take-home.png')).toBe('take-home.txt');
    expect(named('Jahresbericht 2026.v2.pdf', 3)).toBe('Jahresbericht 2026.v2-page-3.txt');
    expect(named('发票')).toBe('发票.txt');
  });

  test('of a document that came by its address is the last part of it', () => {
    expect(named('https://example.org/scans/late.png?size=2/4#top')).toBe('late.txt');
    expect(named('https://example.org/')).toBe('ocr-00-000000000000-aaaaaa.txt');
  });

  test('holds nothing that a system takes for a path, a drive or a hidden file', () => {
    expect(named('../../etc/passwd.png')).toBe('passwd.txt');
    expect(named('C:\\scans\\a:b*?.png')).toBe('a_b__.txt');
    expect(named('..hidden.png')).toBe('hidden.txt');
    expect(named('.png')).toBe('png.txt');
    expect(named(`${'long '.repeat(80)}.png`).length).toBeLessThan(130);
    expect(named('half \ud800 a pair.png')).toBe('half _ a pair.txt');
    for (const nothing of [undefined, '', '...', '/']) expect(named(nothing)).toBe('ocr-00-000000000000-aaaaaa.txt');
  });
});

describe('Content-Disposition', () => {
  test('has other letters twice: as they are, and without them for who does not know filename*', () => {
    expect(disposition('attachment', 'take-home.txt')).toBe('attachment; filename="take-home.txt"');
    expect(disposition('inline', 'Müller’s (2).json')).toBe(
      `inline; filename="Muller_s (2).json"; filename*=UTF-8''M%C3%BCller%E2%80%99s%20%282%29.json`,
    );
    expect(disposition('attachment', '发票 "a"\r\n.md')).toBe(
      `attachment; filename="__ _a___.md"; filename*=UTF-8''%E5%8F%91%E7%A5%A8%20%22a%22%0D%0A.md`,
    );
  });
});
