import { describe, expect, it } from 'vitest';
import { FILE_FORMATS, sniffFormat } from './formats.ts';

function text(value: string): Uint8Array {
  return Uint8Array.from(value, (letter) => letter.charCodeAt(0));
}

function isoMedia(major: string, ...compatible: string[]): Uint8Array {
  const size = 16 + compatible.length * 4;
  return text(`\0\0\0${String.fromCharCode(size)}ftyp${major}\0\0\0\0${compatible.join('')}`);
}

describe('sniffFormat', () => {
  it.each([
    ['png', text('\x89PNG\r\n\x1a\n....')],
    ['jpeg', text('\xff\xd8\xff\xe0....')],
    ['tiff', text('II*\0....')],
    ['tiff', text('MM\0*....')],
    ['tiff', text('II+\0....')],
    ['gif', text('GIF89a..')],
    ['webp', text('RIFF\x10\0\0\0WEBPVP8 ')],
    ['bmp', text(`BM\x10\0\0\0\0\0\0\0${'.'.repeat(16)}`)],
    ['pdf', text('%PDF-1.7\n')],
    ['pdf', text('3 0 obj\n<</Type/Page/Parent 2 0 R>>')],
    ['avif', isoMedia('avif', 'mif1')],
    ['avif', isoMedia('mif1', 'avif', 'miaf')],
    ['heic', isoMedia('heic', 'mif1')],
    ['heic', isoMedia('mif1', 'heic')],
    ['svg', text('<?xml version="1.0"?>\n<!-- a drawing -->\n<svg xmlns="x">')],
    ['jpeg2000', text('\0\0\0\x0cjP  \r\n')],
  ] as const)('knows %s', (format, bytes) => {
    expect(sniffFormat(bytes)).toBe(format);
  });

  it('finds a PDF behind up to 1,024 bytes of junk and not behind more', () => {
    expect(sniffFormat(text(`${'x'.repeat(1_024)}%PDF-1.4`))).toBe('pdf');
    expect(sniffFormat(text(`${'x'.repeat(1_025)}%PDF-1.4`))).toBeNull();
  });

  it('does not take text for a picture', () => {
    expect(sniffFormat(text('BM is how this note to the file begins, and it goes on'))).toBeNull();
    expect(sniffFormat(text('just text'))).toBeNull();
    expect(sniffFormat(new Uint8Array())).toBeNull();
  });

  it('names what it knows and does not accept', () => {
    expect(FILE_FORMATS.heic.accepted).toBe(false);
    expect(FILE_FORMATS.svg.accepted).toBe(false);
  });
});
