import { pipeline } from 'node:stream/promises';
import { type ErrorCode, GalleyError, isLive, type PageResult, type ResultFormat, resultQuerySchema } from '@galley/contract';
import type { TaskView } from '@galley/core';
import { type Exchange, type Handler, parseQuery, pathParameter, sendJson, sendJsonText, sendText } from '../http/exchange.ts';
import { ClientGoneError } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { cutResult, cutText } from './cut-result.ts';
import { disposition, downloadName } from './download-name.ts';
import { Pages } from './pages.ts';
import { fileOf, requireFormat } from './result-formats.ts';
import { parseWholeResult, wholeResult } from './stored-results.ts';
import { type FoundTask, findTask } from './task-reader.ts';

/** Pages of an unfinished document that one answer carries. */
const PARTIAL_PAGES = 200;

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

function pageText(page: PageResult): string {
  return page.blocks.map((block) => block.text).join('\n\n');
}

/** A result as JSON: the worker's own bytes wherever they can be cut out. */
function jsonOf(id: string, bytes: Buffer): Buffer | string {
  const cut = cutResult(bytes);
  if (cut !== null) return cut;
  const stored = parseWholeResult(id, bytes);
  return stored.kind === 'other' ? bytes : JSON.stringify(stored.result);
}

function bodyOf(id: string, bytes: Buffer, format: 'markdown' | 'text'): string {
  const cut = cutText(bytes, format);
  if (cut !== null) return cut;
  const stored = parseWholeResult(id, bytes);
  if (stored.kind === 'other') throw new GalleyError('not_implemented', 'this task is no document, so its result is there as json alone');
  if (stored.kind === 'document') return stored.result[format];
  return format === 'markdown' ? stored.result.markdown : pageText(stored.result);
}

/** Why a task that has ended without a result has none. */
function noResult(task: TaskView): GalleyError {
  const last = task.errors.at(-1);
  const refusals: Partial<Record<TaskView['state'], [ErrorCode, string]>> = {
    cancelled: ['task_cancelled', `${task.id} was cancelled and has no result`],
    dead_letter: [
      'task_dead_letter',
      last === undefined ? `${task.id} is a dead letter` : `${task.id} is a dead letter: ${last.code}: ${last.message}`,
    ],
  };
  const [code, message] = refusals[task.state] ?? ['result_expired', `the result of ${task.id} was kept for its time and is gone`];
  return new GalleyError(code, message);
}

/** What users' files become is never run as a page of ours (DESIGN §7). */
function asUserContent(exchange: Exchange, filename: string): void {
  exchange.response.set({
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': disposition('attachment', filename),
  });
}

/** A program's answer first of all, so a browser may show it; kept as a file it has the document's name. */
function nameJsonFile({ response }: Exchange, { task, parent }: FoundTask): void {
  response.setHeader('content-disposition', disposition('inline', downloadName(task, parent, fileOf('json').extension)));
}

async function sendUnfinished(services: Services, exchange: Exchange, found: FoundTask, format: ResultFormat): Promise<void> {
  const { inspector, task } = found;
  if (format !== 'json')
    throw new GalleyError('task_not_finished', `${task.id} is ${task.state}; ask for format=json to get the pages that are done`);
  const pages = await new Pages(inspector, services.blobs).done(task, PARTIAL_PAGES);
  const body = {
    task_id: task.id,
    status: task.state,
    pages_done: task.children?.completed ?? 0,
    pages_total: task.children?.total ?? null,
    pages,
  };
  nameJsonFile(exchange, found);
  sendJson(exchange, body, 202);
}

function pageNumber(exchange: Exchange): number {
  const text = pathParameter(exchange, 'n');
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new GalleyError('page_not_found', `"${text.slice(0, 20)}" is no page number: pages count from 1`);
  return Number(text);
}

export function resultRoutes(services: Services) {
  const { blobs } = services;
  const find = (exchange: Exchange): Promise<FoundTask> => findTask(services, exchange.principal, pathParameter(exchange, 'id'));
  return {
    getTaskResult: async (exchange) => {
      const { format = 'json' } = parseQuery(exchange, resultQuerySchema);
      const found = await findTask(services, exchange.principal, pathParameter(exchange, 'id'), 'whole');
      requireFormat(format);
      const { task, result } = found;
      if (isLive(task.state)) return sendUnfinished(services, exchange, found, format);
      const stored = task.state === 'completed' && result.length > 0 ? await wholeResult(result, blobs) : null;
      if (stored === null) throw noResult(task);
      if (format === 'json') {
        nameJsonFile(exchange, found);
        return sendJsonText(exchange, jsonOf(task.id, stored));
      }
      const body = bodyOf(task.id, stored, format === 'text' ? 'text' : 'markdown');
      const { extension, mediaType } = fileOf(format);
      asUserContent(exchange, downloadName(found.task, found.parent, extension));
      sendText(exchange, body, mediaType);
    },
    listPages: async (exchange) => {
      const { inspector, task } = await find(exchange);
      sendJson(exchange, await new Pages(inspector, blobs).list(task));
    },
    getPage: async (exchange) => {
      const { inspector, task } = await find(exchange);
      sendJson(exchange, (await new Pages(inspector, blobs).one(task, pageNumber(exchange))).result);
    },
    getPageImage: async (exchange) => {
      const { inspector, task, parent } = await find(exchange);
      const page = pageNumber(exchange);
      const { image } = await new Pages(inspector, blobs).one(task, page);
      if (image === null) throw new GalleyError('page_not_found', `page ${page} of ${task.id} has no picture`);
      const etag = `"${image.sha256}"`;
      exchange.response.set({ etag, 'cache-control': 'private, no-cache' });
      if (exchange.request.headers['if-none-match'] === etag) {
        exchange.response.status(304).end();
        return;
      }
      const stat = await blobs.stat(image.sha256);
      if (stat === null) throw new GalleyError('page_not_found', `the picture of page ${page} of ${task.id} is not stored here any more`);
      const bytes = await blobs.stream(image.sha256);
      asUserContent(exchange, downloadName(task, parent, EXTENSIONS[image.media_type] ?? 'bin', task.childNumber ?? page));
      exchange.response.status(200).type(image.media_type).set('content-length', String(stat.size));
      await pipeline(bytes, exchange.response).catch((error: unknown) => {
        if (exchange.request.destroyed || exchange.response.destroyed) throw new ClientGoneError('the client broke off');
        throw error;
      });
    },
  } satisfies Record<string, Handler>;
}
