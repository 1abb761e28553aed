/** One page of a PDF made for a test: lines of its own text, or a page object that is missing from the file. */
export type PdfPage = { readonly text: string } | 'missing';

export interface PdfOptions {
  /** Needs a password that nobody knows. */
  readonly encrypted?: boolean;
}

const PAGE_SIZE = [612, 792] as const;
const FIRST_PAGE = 4;

/** Writes a small PDF by hand: objects, cross-reference table, trailer. */
export function makePdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer {
  const kids = pages.map((_, index) => `${FIRST_PAGE + index * 2} 0 R`).join(' ');
  const objects = new Map<number, string>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'],
  ]);
  pages.forEach((page, index) => {
    if (page === 'missing') return;
    const number = FIRST_PAGE + index * 2;
    const lines = page.text.split('\n').map((line) => `(${line}) Tj T*`);
    const content = `BT /F1 12 Tf 16 TL 72 740 Td ${lines.join(' ')} ET`;
    objects.set(
      number,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE_SIZE.join(' ')}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R >>`,
    );
    objects.set(number + 1, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  return Buffer.from(write(objects, options), 'latin1');
}

function write(objects: ReadonlyMap<number, string>, { encrypted = false }: PdfOptions): string {
  let text = '%PDF-1.4\n';
  const offsets = new Map<number, number>();
  for (const [number, body] of objects) {
    offsets.set(number, text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const size = Math.max(...objects.keys()) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const lock = '5a'.repeat(32);
  // A password's check value that no password gives.
  const encryption = encrypted ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${lock}> /U <${lock}> >> /ID [<00> <00>]` : '';
  return `${text}xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R${encryption} >>\nstartxref\n${text.length}\n%%EOF\n`;
}
