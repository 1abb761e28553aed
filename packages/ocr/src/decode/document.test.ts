import { expect, test } from 'vitest';
import { openDocument } from './document.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test.each([
  ['zero bytes', new Uint8Array(0), 'empty_file'],
  ['a text file', text('This is not a picture, whatever its name says.'), 'unsupported_format'],
  ['SVG, which can reach out of its file', text('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'unsupported_format'],
  ['a PNG signature with nothing behind it', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]), 'corrupt_document'],
  ['%PDF with nothing behind it', text('%PDF-1.7\n'), 'corrupt_document'],
])('%s', async (_name, bytes, code) => {
  await expect(openDocument(bytes)).rejects.toMatchObject({ name: 'GalleyError', code });
});

test('HEIC is refused by the name of the format', async () => {
  const bytes = Uint8Array.from([0, 0, 0, 24, ...text('ftypheic'), 0, 0, 0, 0, ...text('mif1heic')]);
  await expect(openDocument(bytes)).rejects.toMatchObject({ code: 'unsupported_format', message: expect.stringContaining('HEIC') });
});
