import type { PageResult, PageState } from '@galley/contract';

/** What the document says of a page that failed, which stands in the head and in the page's own place. */
function failureNote({ page, error }: PageState): string | undefined {
  return error === undefined ? undefined : `Page ${page} could not be read (${error.code}): ${error.message}`;
}

/** What the reader tells beside a page: its own warnings first, then the document's that no failed page tells already; each once. */
export function shownWarnings(page: PageResult | undefined, pages: readonly PageState[], ofDocument: readonly string[]): readonly string[] {
  const told = new Set(pages.map(failureNote));
  return [...new Set([...(page?.warnings ?? []), ...ofDocument])].filter((warning) => !told.has(warning));
}
