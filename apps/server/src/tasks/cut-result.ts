/**
 * Parts of a stored result, cut out of its bytes: parsing a whole document to write it out again costs more than all the rest of an
 * answer. Between members a comma stands before a bare quote, which no text inside a JSON string can hold, and `storedDocumentOf`
 * fixes the members' order; what does not look as it writes is left to be parsed.
 */
const HEAD = /^\{"kind":"(document|page)",(?:"counts":\{"total":(\d{1,9}),"failed":(\d{1,9})\},)?"result":\{/;
const POINTER_HEAD = /^\{"kind":"blob","counts":\{"total":(\d{1,9}),"failed":(\d{1,9})\},"/;
const HEAD_BYTES = 192;
const TAILS = { document: ',"images":[', page: ',"image":' } as const;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function headOf(stored: Buffer): string {
  return stored.toString('latin1', 0, HEAD_BYTES);
}

/** The result as clients get it, as JSON; null where it cannot be cut out. */
export function cutResult(stored: Buffer): Buffer | null {
  const match = HEAD.exec(headOf(stored));
  if (match === null) return null;
  const to = stored.lastIndexOf(match[1] === 'page' ? TAILS.page : TAILS.document);
  return to < 0 ? null : stored.subarray(match[0].length - 1, to);
}

/** The whole document's text of one format; null where it cannot be cut out. */
export function cutText(stored: Buffer, format: 'markdown' | 'text'): string | null {
  if (HEAD.exec(headOf(stored))?.[1] !== 'document') return null;
  // Pages have these too, and stand before the document's own.
  const name = `,"${format}":"`;
  const at = stored.lastIndexOf(name);
  if (at < 0) return null;
  const from = at + name.length - 1;
  const to = closingQuote(stored, from);
  if (to === null || !nextMemberIs(stored, to, format)) return null;
  const value: unknown = JSON.parse(stored.toString('utf8', from, to + 1));
  return typeof value === 'string' ? value : null;
}

/** What stands behind it tells that it was the document's own. */
function nextMemberIs(stored: Buffer, end: number, format: 'markdown' | 'text'): boolean {
  const next = format === 'markdown' ? ',"text":"' : ',"timings":{';
  return stored.toString('latin1', end + 1, end + 1 + next.length) === next;
}

function closingQuote(stored: Buffer, from: number): number | null {
  for (let at = stored.indexOf(QUOTE, from + 1); at >= 0; at = stored.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (stored[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return null;
}

/** Pages of a document and how many of them could not be read, by the head of its stored result; null where it does not tell. */
export function cutCounts(head: Buffer): { readonly total: number; readonly failed: number } | null {
  const text = headOf(head);
  const document = HEAD.exec(text);
  const [total, failed] = document === null ? (POINTER_HEAD.exec(text)?.slice(1) ?? []) : document.slice(2);
  return total === undefined || failed === undefined ? null : { total: Number(total), failed: Number(failed) };
}
