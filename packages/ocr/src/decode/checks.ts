import { GalleyError } from '@galley/contract';
import type { DocumentLimits } from '../limits.ts';

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().split('\n')[0] ?? '';
}

/** Throws `page_too_large` with the limit named; called before the page's memory is taken. */
export function checkPageSize(width: number, height: number, page: number, limits: DocumentLimits): void {
  const pixels = width * height;
  if (pixels <= limits.maxPagePixels) return;
  const millions = (count: number): string => `${(count / 1e6).toFixed(1)} million`;
  throw new GalleyError(
    'page_too_large',
    `Page ${page} is ${Math.round(width)} × ${Math.round(height)} pixels (${millions(pixels)}); the limit is ${millions(limits.maxPagePixels)}.`,
  );
}

export function checkPageNumber(page: number, pageCount: number): void {
  if (Number.isInteger(page) && page >= 1 && page <= pageCount) return;
  throw new GalleyError('page_not_found', `There is no page ${page}: the document has ${pageCount}.`);
}
