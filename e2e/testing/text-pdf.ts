/** A page of a PDF made by hand: lines of Helvetica on A5, or one that is too large to be drawn. */
export interface PdfPage {
  readonly lines: readonly string[];
  /** Points; A5 unless said otherwise. */
  readonly size?: readonly [number, number];
}

const A5 = [420, 595] as const;
const LETTER_PT = 10;
const LEADING_PT = 16;

function contentOf({ lines, size: [, height] = A5 }: PdfPage): string {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
  return `BT /F1 ${LETTER_PT} Tf ${LEADING_PT} TL 40 ${height - 50} Td ${shown.join(' ')} ET`;
}

/** A whole PDF with a text layer: small, and read in a moment. The lines are Latin. */
export function textPdf(pages: readonly PdfPage[]): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) => {
      const [width, height] = page.size ?? A5;
      const content = contentOf(page);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const rows = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  return Buffer.from(
    `${text}${head}${rows.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
