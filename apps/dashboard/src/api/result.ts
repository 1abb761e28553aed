import {
  type DocumentResult,
  documentResultSchema,
  pageResultSchema,
  type ResultFormat,
  type TaskState,
  taskStateSchema,
} from '@galley/contract';
import * as z from 'zod/mini';
import { callRaw, parseAnswer, routeUrl } from './client.ts';

const partialSchema = z.object({
  status: taskStateSchema,
  pages_done: z.number(),
  pages_total: z.nullable(z.number()),
  pages: z.array(pageResultSchema),
});

/** The whole result, or while the task runs the pages read so far. */
export type ResultAnswer =
  | { readonly kind: 'whole'; readonly result: DocumentResult }
  | { readonly kind: 'partial'; readonly status: TaskState; readonly pages: DocumentResult['pages']; readonly total: number | null };

export async function getTaskResult(id: string, signal?: AbortSignal): Promise<ResultAnswer> {
  const response = await callRaw('getTaskResult', { params: { id }, query: { format: 'json' }, signal });
  const body: unknown = await response.json();
  if (response.status !== 202) return { kind: 'whole', result: parseAnswer(documentResultSchema, body, response.status, 'getTaskResult') };
  const partial = parseAnswer(partialSchema, body, 202, 'getTaskResult');
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
