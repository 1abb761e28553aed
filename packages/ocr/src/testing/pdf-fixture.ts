import { createHash } from 'node:crypto';

/** What a fixture page holds. Sizes and places are in points, from the lower left corner. */
export interface FixturePage {
  width: number;
  height: number;
  rotate?: number;
  /** Content stream operators besides the text. */
  content?: string;
  /** More entries of the page's dictionary, and of its resources, as raw PDF. */
  entries?: string;
  resources?: string;
  texts?: readonly { x: number; y: number; size: number; text: string; rotate?: 0 | 90 }[];
}

export interface FixtureOptions {
  /** Encrypts with RC4, 40 bit; the owner's password is "owner". */
  userPassword?: string;
  junkBefore?: string;
  /** More objects as raw PDF, numbered on from 4 + 2 × pages. */
  objects?: readonly string[];
}

/** A stream object as raw PDF. */
export function pdfStream(content: string, entries = ''): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

const PADDING = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 255] ?? 0;
  let j = 0;
  for (let i = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    [state[i], state[j]] = [at(j), at(i)];
  }
  const result = Buffer.alloc(data.length);
  let i = 0;
  j = 0;
  for (let index = 0; index < data.length; index++) {
    i = (i + 1) & 255;
    j = (j + at(i)) & 255;
    [state[i], state[j]] = [at(j), at(i)];
    result[index] = (data[index] ?? 0) ^ at(at(i) + at(j));
  }
  return result;
}

function md5(...parts: Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function padded(password: string): Buffer {
  return Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
}

interface Cipher {
  dictionary: string;
  encrypt(objectNumber: number, data: Buffer): Buffer;
}

const FILE_ID = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const PERMISSIONS = -4;

function standardCipher(userPassword: string): Cipher {
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(userPassword));
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(padded(userPassword), owner, permissions, FILE_ID).subarray(0, 5);
  const user = rc4(key, PADDING);
  return {
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P ${PERMISSIONS} >>`,
    encrypt(objectNumber, data) {
      const suffix = Buffer.from([objectNumber & 255, (objectNumber >> 8) & 255, (objectNumber >> 16) & 255, 0, 0]);
      return rc4(md5(key, suffix).subarray(0, 10), data);
    },
  };
}

function contentOf(page: FixturePage): string {
  const texts = (page.texts ?? []).map(({ x, y, size, text, rotate }) => {
    const matrix = rotate === 90 ? `0 1 -1 0 ${x} ${y}` : `1 0 0 1 ${x} ${y}`;
    return `BT /F1 ${size} Tf ${matrix} Tm (${text.replace(/([\\()])/g, '\\$1')}) Tj ET`;
  });
  return [page.content ?? '', ...texts].join('\n');
}

/** A PDF of text in Helvetica and raw operators; PDFium brings that font along, so pictures of it are the same everywhere. */
export function makePdf(pages: readonly FixturePage[], options: FixtureOptions = {}): Uint8Array {
  const cipher = options.userPassword === undefined ? null : standardCipher(options.userPassword);
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
  ];
  pages.forEach((page, index) => {
    const contentNumber = 5 + index * 2;
    const rotate = page.rotate === undefined ? '' : ` /Rotate ${page.rotate}`;
    const entries = `/MediaBox [0 0 ${page.width} ${page.height}]${rotate} ${page.entries ?? ''}`;
    const resources = `<< /Font << /F1 3 0 R >> ${page.resources ?? ''} >>`;
    objects.push(Buffer.from(`<< /Type /Page /Parent 2 0 R ${entries} /Resources ${resources} /Contents ${contentNumber} 0 R >>`));
    const plain = Buffer.from(contentOf(page), 'latin1');
    const stream = cipher === null ? plain : cipher.encrypt(contentNumber, plain);
    objects.push(Buffer.concat([Buffer.from(`<< /Length ${stream.length} >>\nstream\n`), stream, Buffer.from('\nendstream')]));
  });
  objects.push(...(options.objects ?? []).map((object) => Buffer.from(object, 'latin1')));
  if (cipher !== null) objects.push(Buffer.from(cipher.dictionary));
  const parts: Buffer[] = [Buffer.from(`${options.junkBefore ?? ''}%PDF-1.4\n`, 'latin1')];
  const offsets: number[] = [];
  let position = Buffer.byteLength('%PDF-1.4\n');
  objects.forEach((object, index) => {
    offsets.push(position);
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(whole);
    position += whole.length;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const encrypt = cipher === null ? '' : ` /Encrypt ${objects.length} 0 R`;
  const id = `/ID [<${FILE_ID.toString('hex')}> <${FILE_ID.toString('hex')}>]`;
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encrypt} ${id} >>\nstartxref\n${position}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}
