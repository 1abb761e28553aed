import type { DocumentResult, ResultFormat, TaskState } from '@galley/contract';
import { callRaw, parseBody, routeUrl } from './client.ts';

/** The whole result, or while the task runs the pages read so far. */
export type ResultAnswer =
  | { readonly kind: 'whole'; readonly result: DocumentResult }
  | { readonly kind: 'partial'; readonly status: TaskState; readonly pages: DocumentResult['pages']; readonly total: number | null };

export async function getTaskResult(id: string, signal?: AbortSignal): Promise<ResultAnswer> {
  const response = await callRaw('getTaskResult', { params: { id }, query: { format: 'json' }, signal });
  if (response.status !== 202)
    return { kind: 'whole', result: await parseBody(response, 'getTaskResult', (schemas) => schemas.documentResultSchema) };
  const partial = await parseBody(response, 'getTaskResult', (schemas) => schemas.partialResultSchema);
  return { kind: 'partial', status: partial.status, pages: partial.pages, total: partial.pages_total };
}

/** Where a browser downloads the result in a format. */
export function resultUrl(id: string, format: ResultFormat): string {
  return routeUrl('getTaskResult', { params: { id }, query: { format } });
}

/** Where a page's picture is, for an `img`. */
export function pageImageUrl(id: string, n: number): string {
  return routeUrl('getPageImage', { params: { id, n } });
}
