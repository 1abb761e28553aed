import { AsyncLocalStorage } from 'node:async_hooks';
import { truncate } from 'node:fs/promises';
import {
  type DocumentFields,
  documentFieldsSchema,
  type ErrorCode,
  GalleyError,
  isErrorCode,
  type SubmitDocuments,
} from '@galley/contract';
import type { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import type { Upload } from '@tus/utils';
import { type Request, type Response, Router } from 'express';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { intentOf, submitFile } from '../documents/document-routes.ts';
import { Intake } from '../documents/intake.ts';
import { type Exchange, parseInput } from '../http/exchange.ts';
import { isRefusal, problemOf, sendProblem, toGalleyError } from '../http/problem.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Services } from '../services.ts';
import { requireRole } from '../session/principal.ts';
import { UploadLocker } from './upload-lock.ts';

export const UPLOADS_PATH = '/api/v1/uploads';
const UPLOAD_ID = /^[0-9a-f]{32}$/;
const OWNER = 'galley_owner';
/** Names of metadata that clients send by habit and that mean nothing here: a file's kind is told by its content. */
const IGNORED = new Set(['filename', 'name', 'filetype', 'type', 'relativePath', OWNER]);

/** What a request under way knows, for the hooks of the tus server. */
interface Underway {
  readonly exchange: Exchange;
  failure: GalleyError | null;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  409: 'invalid_state',
  410: 'not_found',
  413: 'payload_too_large',
  423: 'invalid_state',
};

/** In place of the tus server's own words, which say neither what to do nor how much is too much. */
function detailOf(status: number, text: string, maxBytes: number): string {
  if (status === 409) return 'Upload-Offset is not where this upload stands: ask for its Upload-Offset with HEAD and send on from there';
  if (status === 413) return `the upload is over the limit of ${maxBytes} bytes a file, or over the length that was announced`;
  return text.trim();
}

function fieldsOf(metadata: Upload['metadata']): DocumentFields {
  const own = Object.entries(metadata ?? {}).filter(([name]) => !IGNORED.has(name));
  return parseInput(documentFieldsSchema, Object.fromEntries(own), 'Upload-Metadata');
}

function ownerOf({ principal }: Exchange): string {
  return principal.userId ?? '';
}

/** Resumable uploads (tus 1.0): a whole one becomes a document just as if it had been sent in one piece. */
class ResumableUploads {
  private readonly services: Services;
  private readonly store: FileStore;
  private readonly underway = new AsyncLocalStorage<Underway>();
  private readonly tus: Server;

  constructor(services: Services, store: FileStore) {
    this.services = services;
    this.store = store;
    this.tus = new Server({
      path: UPLOADS_PATH,
      datastore: store,
      locker: new UploadLocker(services.connection),
      maxSize: services.config.maxFileBytes,
      relativeLocation: true,
      respectForwardedHeaders: false,
      // No other site may read an answer.
      allowedOrigins: () => false,
      getFileIdFromRequest: (_request, id) => (id !== undefined && UPLOAD_ID.test(id) ? id : undefined),
      onUploadCreate: (_request, upload) => this.noting(() => this.begin(upload)),
      onIncomingRequest: (_request, id) => this.noting(() => this.requireOwner(id)),
      onUploadFinish: (_request, upload) => this.noting(() => this.finish(upload)),
    });
  }

  async handle(request: Request, response: Response): Promise<void> {
    const { callers, notReady, logger } = this.services;
    const reason = notReady();
    if (reason !== null) throw reason;
    const principal = requireRole(await callers.of(request), 'user');
    const requestId = requestIdOf(response);
    const underway: Underway = { exchange: { request, response, requestId, principal, logger }, failure: null };
    const answer = await this.underway.run(underway, () => this.tus.handleWeb(new NodeRequest({ req: request, res: response })));
    if (response.headersSent || response.destroyed) return;
    if (answer.status < 400) return sendNodeResponse(response, answer);
    // What was not read of the body must not be taken for the next request.
    response.set({ connection: 'close', 'tus-resumable': '1.0.0' });
    if (underway.failure !== null) throw underway.failure;
    const code = CODES[answer.status] ?? (answer.status < 500 ? 'invalid_request' : 'internal_error');
    sendProblem(
      response,
      problemOf(
        new GalleyError(code, detailOf(answer.status, await answer.text(), this.services.config.maxFileBytes)),
        requestId,
        {},
        answer.status,
      ),
    );
  }

  /** Keeps an error of ours beside the tus server, which would answer it as text. */
  private async noting<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      const underway = this.underway.getStore();
      if (underway !== undefined) underway.failure = toGalleyError(error);
      throw Object.assign(new Error('refused'), { status_code: 500, body: 'refused' });
    }
  }

  private get exchange(): Exchange {
    const underway = this.underway.getStore();
    if (underway === undefined) throw new GalleyError('internal_error', 'an upload was worked on outside of a request');
    return underway.exchange;
  }

  /** Refuses at once what could not be submitted in the end. */
  private async begin({ metadata }: Upload): Promise<{ metadata: NonNullable<Upload['metadata']> }> {
    const fields = fieldsOf(metadata);
    this.services.callbacks.requireEnabled(fields.callback_url);
    await intentOf(this.services, this.exchange, fields);
    return { metadata: { ...metadata, [OWNER]: ownerOf(this.exchange) } };
  }

  private async requireOwner(id: string): Promise<void> {
    const { principal, request } = this.exchange;
    // A new upload has a name already, and nobody yet.
    if (request.method === 'POST') return;
    const upload = await this.store.getUpload(id).catch(() => null);
    if (upload === null || (principal.role !== 'admin' && upload.metadata?.[OWNER] !== ownerOf(this.exchange)))
      throw new GalleyError('not_found', `there is no upload "${id}"; one that nobody finishes is kept for a day`);
  }

  private async finish(upload: Upload): Promise<{ status_code: number; headers: Record<string, string>; body: string }> {
    try {
      const document = await this.services.redis.during(() => this.submit(upload));
      await this.store.remove(upload.id);
      const body: SubmitDocuments = { documents: [document], rejected: [] };
      return { status_code: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
    } catch (error) {
      const known = toGalleyError(error);
      // What cannot be taken is thrown away; what may be taken later lacks its last byte, so that the client comes back with it.
      if (isRefusal(known) && known.retryAfterMs === undefined) await this.store.remove(upload.id);
      else if (upload.storage !== undefined && (upload.size ?? 0) > 0) await truncate(upload.storage.path, (upload.size ?? 1) - 1);
      throw error;
    }
  }

  private async submit(upload: Upload): Promise<SubmitDocuments['documents'][number]> {
    const { blobs, config, callbacks } = this.services;
    const fields = fieldsOf(upload.metadata);
    const intake = new Intake({ blobs, maxFileBytes: config.maxFileBytes, discardBytes: 0 });
    try {
      await intake.take(upload.metadata?.['filename'] ?? upload.metadata?.['name'] ?? '', this.store.read(upload.id));
      const [file] = intake.received;
      if (file === undefined) throw new GalleyError('internal_error', 'the upload could not be read back');
      const outcome = await submitFile(file, await intentOf(this.services, this.exchange, fields), callbacks);
      if ('document' in outcome) return outcome.document;
      const { rejected, retryAfterMs } = outcome;
      const code = isErrorCode(rejected.code) ? rejected.code : 'internal_error';
      throw new GalleyError(code, rejected.detail, retryAfterMs === undefined ? {} : { retryAfterMs });
    } finally {
      await intake.abort();
    }
  }
}

/** The tus endpoint, role `user`. */
export function uploadRouter(services: Services, store: FileStore): Router {
  const uploads = new ResumableUploads(services, store);
  const router = Router({ caseSensitive: true });
  router.all([UPLOADS_PATH, `${UPLOADS_PATH}/:id`], (request, response) => uploads.handle(request, response));
  return router;
}
