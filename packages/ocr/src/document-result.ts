import type { DocumentResult, PageResult } from '@galley/contract';
import { pageToText } from './export/text.ts';

/** A page that could not be read, its error stated in its place. */
export function failedPage(page: number, error: { code: string; message: string }, engine: PageResult['engine'] = 'onnx'): PageResult {
  return {
    page,
    width: 0,
    height: 0,
    angle: 0,
    source: 'image',
    engine,
    blocks: [],
    markdown: '',
    error: { code: error.code, message: error.message },
  };
}

/**
 * Pages to the document: in the order of their numbers, texts and Markdown joined, failed pages and what pages warn of
 * named in the warnings.
 * `timings`: milliseconds by step.
 */
export function assembleDocument(
  pages: readonly PageResult[],
  extra: { timings?: Record<string, number>; warnings?: readonly string[] } = {},
): DocumentResult {
  const sorted = [...pages].sort((a, b) => a.page - b.page);
  const warned = sorted.flatMap(({ warnings = [] }) => warnings);
  const failed = sorted.flatMap(({ page, error }) =>
    error === undefined ? [] : [`Page ${page} could not be read (${error.code}): ${error.message}`],
  );
  const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
  return {
    pages: sorted,
    markdown: join(sorted.map(({ markdown }) => markdown)),
    text: join(sorted.map(pageToText)),
    timings: extra.timings ?? {},
    warnings: [...(extra.warnings ?? []), ...warned, ...failed],
  };
}
