/** Rows and columns past this are not made: `colspan` may name any number. */
const MOST_COLUMNS = 200;
const MOST_SPAN = 50;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

function cellText(html: string): string {
  return decodeEntities(
    html
      .replace(/<br\s*\/?>/gi, '\n')
      .replace(/<\/?[a-z][^<>]*>/gi, '')
      .trim(),
  );
}

function spanOf(attributes: string, name: 'colspan' | 'rowspan'): number {
  const value = new RegExp(`${name}\\s*=\\s*["']?(\\d{1,4})`, 'i').exec(attributes)?.[1];
  return Math.min(MOST_SPAN, Math.max(1, Number(value ?? 1)));
}

/**
 * The rows of an HTML table as models write it. A cell over several columns or rows has its text in the first of them and leaves the
 * others empty, so that columns stay under each other. Tags that are not closed end where the next one begins.
 */
export function htmlTableRows(html: string): string[][] {
  const rows: string[][] = [];
  /** By column: how many rows below this one a cell still covers. */
  const covered: number[] = [];
  for (const [, content = ''] of html.matchAll(/<tr\b[^<>]*>([\s\S]*?)(?=<tr\b|<\/tr|<\/table|$)/gi)) {
    const row: string[] = [];
    const skipCovered = (): void => {
      while ((covered[row.length] ?? 0) > 0) {
        covered[row.length] = (covered[row.length] ?? 0) - 1;
        row.push('');
      }
    };
    for (const [, attributes = '', cell = ''] of content.matchAll(/<t[dh]\b([^<>]*)>([\s\S]*?)(?=<t[dh]\b|<\/t[dh]|$)/gi)) {
      skipCovered();
      if (row.length >= MOST_COLUMNS) break;
      const rowSpan = spanOf(attributes, 'rowspan');
      for (let column = 0; column < spanOf(attributes, 'colspan') && row.length < MOST_COLUMNS; column++) {
        covered[row.length] = rowSpan - 1;
        row.push(column === 0 ? cellText(cell) : '');
      }
    }
    skipCovered();
    if (row.length > 0) rows.push(row);
  }
  return rows;
}
