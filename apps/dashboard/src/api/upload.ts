import { ROUTES, type SubmitDocuments } from '@galley/contract';
import { routeUrl } from './client.ts';
import { unexpectedAnswer, unreachable } from './error.ts';
import { errorOfAnswer, parseAnswer, schemas } from './parsing.ts';

export interface DocumentUpload {
  readonly files: readonly File[];
  /** The form's other fields, such as `priority` and `engine`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Bytes of the whole request sent so far, and all of them. */
  readonly onProgress?: (sent: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function settle(request: XMLHttpRequest): SubmitDocuments {
  const body = parseBody(request.responseText);
  // Where nothing was accepted the problem carries the same lists: each file's own reason is the answer.
  const listed = schemas.submitDocumentsSchema.safeParse(body);
  if (listed.success && (request.status === 202 || listed.data.rejected.length > 0)) return listed.data;
  if (request.status === 0) throw unreachable(undefined);
  if (request.status >= 200 && request.status < 300)
    return parseAnswer(schemas.submitDocumentsSchema, body, request.status, 'submitDocuments');
  throw errorOfAnswer(request.status, body, request.getResponseHeader('retry-after'));
}

/**
 * Sends files to `POST /documents`. It goes by XMLHttpRequest because fetch does not tell how much has been sent.
 * Answers what was accepted and what was refused, also when all was refused; throws ApiError otherwise, AbortError when aborted.
 */
export function submitDocuments(upload: DocumentUpload): Promise<SubmitDocuments> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(ROUTES.submitDocuments.method, routeUrl('submitDocuments'));
    request.upload.addEventListener('progress', (event) => upload.onProgress?.(event.loaded, event.total));
    request.addEventListener('load', () => {
      try {
        resolve(settle(request));
      } catch (error) {
        reject(error instanceof Error ? error : unexpectedAnswer(request.status, String(error)));
      }
    });
    request.addEventListener('error', () => reject(unreachable(undefined)));
    request.addEventListener('abort', () => reject(new DOMException('The upload was stopped', 'AbortError')));
    upload.signal?.addEventListener('abort', () => request.abort(), { once: true });
    const form = new FormData();
    for (const [key, value] of Object.entries(upload.fields)) form.append(key, value);
    for (const file of upload.files) form.append('file', file, file.name);
    request.send(form);
  });
}
