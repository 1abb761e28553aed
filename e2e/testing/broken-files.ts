/** Files that cannot be read, written by hand so that each is wrong in one way only. */

function pdf(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.4\n';
  const rows = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  return Buffer.from(`${text}${table}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`, 'latin1');
}

/** Begins as a PDF and holds nothing that one is made of. `seed`: no two are the same file. */
export function brokenPdf(seed: string): Buffer {
  return Buffer.from(
    `%PDF-1.7\n% ${seed}\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nthe rest of it was lost on the way\n`,
    'latin1',
  );
}

/** A whole PDF whose owner locked it with a password that nobody knows. */
export function encryptedPdf(seed: string): Buffer {
  const lock = '5a'.repeat(32);
  return pdf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] >>',
      '<< /Filter /Standard /V 1 /R 2 /P -44 ' + `/O <${lock}> /U <${lock}> >>`,
    ],
    `/Root 1 0 R /Encrypt 4 0 R /ID [<${Buffer.from(seed).toString('hex')}> <00>]`,
  );
}

/** A text that claims to be a picture. */
export function textNamedPng(seed: string): Buffer {
  return Buffer.from(`Dear reader, this is a letter and no picture. ${seed}\n`.repeat(4), 'utf8');
}
